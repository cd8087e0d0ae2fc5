import { expect, test } from 'vitest';
import { isId, namesIn } from './names.ts';

const entry = (action: string, id: string, changes: object, outcome = 'success') => {
  const [type = ''] = action.split('.');
  return { action, outcome, resource: { type, id }, changes };
};

test('a resource has the newest name that an entry gives it', () => {
  const entries = [
    entry('agent.update', 'a', { name: 'Denied' }, 'denied'),
    entry('agent.update', 'a', { fields: ['model'] }),
    entry('agent.update', 'a', { name: 'New' }),
    entry('agent.create', 'a', { name: 'Old' }),
    entry('secret.create', 's', { key: 'TOKEN', repo: 'acme/web' }),
    entry('repository.create', 'r', { provider: 'local', repo: 'acme/web' }),
  ];
  expect(Object.fromEntries(namesIn(entries))).toEqual({ a: 'New', s: 'TOKEN', r: 'acme/web' });
});

test('what names something else is no name', () => {
  const entries = [
    entry('commit_status.set', 'r', { name: 'build' }),
    entry('violation.create', 'v', { repo: 'acme/web' }),
    entry('member.update', 'u', { name: '' }),
  ];
  expect(namesIn(entries).size).toBe(0);
});

test('an id is told from a name', () => {
  expect(['agt_0123456789abcdefghjkmnpqrs', 'local:acme/web', 'reviews', ''].map(isId)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
