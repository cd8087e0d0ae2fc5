import { expect, test } from 'vitest';
import { isId, namesIn, resourcesIn } from './names.ts';

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
    entry('ip_access_list.add', 'i', { cidr: '192.0.2.0/24' }),
  ];
  expect(Object.fromEntries(namesIn(entries))).toEqual({ a: 'New', s: 'TOKEN', r: 'acme/web', i: '192.0.2.0/24' });
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

test('fields with ids name resources', () => {
  const [agent, note] = [`agt_${'0'.repeat(26)}`, `kn_${'0'.repeat(26)}`];
  expect(resourcesIn({ agent_id: agent, note_id: note, reason: 'none', scopes: [agent] })).toEqual([
    { type: 'agent', id: agent },
    { type: 'knowledge_note', id: note },
  ]);
});
