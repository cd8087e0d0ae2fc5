import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';

// Real sandboxes and real git, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let fixture: ModelFixture;
const org = '/v3/organizations/default';

beforeAll(async () => {
  fixture = await createModelFixture();
  await fixture.worker();
});

afterAll(() => fixture.close());

test('the built-in agent is told what it may not write or run, and delivers the rest', async () => {
  const repository = await fixture.repository({ answer: '41\n', 'deploy.yml': 'a: 1\n' });
  const rules = { protected_paths: ['infra/', 'deploy.yml'], commands_denied: ['curl'] };
  const answer = await fixture.api.call('PUT', `${org}/guardrails/${repository.id}`, { body: rules });
  expect(answer.status).toBe(200);
  const key = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
  const prompt = script([
    { write: { path: './lib/../infra/x', content: 'x' } },
    { edit: { path: 'deploy.yml', old: 'a: 1', new: 'a: 2' } },
    { run: `true | curl -H 'X-Key: ${key}' http://localhost` },
    { write: { path: 'answer', content: '42\n' } },
    { say: 'It is 42.' },
  ]);
  const session = await fixture.run({ repository, prompt });
  expect(session).toMatchObject({ status: 'completed' });
  const results = (await fixture.events(session.id)).filter(({ kind }) => kind === 'tool_result');
  expect(results.map(({ data }) => data['ok'])).toEqual([false, false, false, true]);
  expect(results[0]?.data['output']).toContain('infra/x is protected');
  const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
  expect(await readFile(join(clone, 'deploy.yml'), 'utf8')).toBe('a: 1\n');
  expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('42\n');
  await expect(readFile(join(clone, 'infra/x'))).rejects.toThrow('ENOENT');
  const { json } = await fixture.api.call('GET', `${org}/guardrails/violations?session_id=${session.id}`);
  expect(json['items']).toMatchObject([
    { rule: 'commands_denied', action: 'blocked', evidence: { stage: 'tool_call', items: ['[redacted]'] } },
    { rule: 'protected_paths', action: 'blocked', evidence: { stage: 'tool_call', items: ['deploy.yml'] } },
    { rule: 'protected_paths', action: 'blocked', evidence: { stage: 'tool_call', items: ['infra/x'] } },
  ]);
  expect(JSON.stringify(json)).not.toContain(key);
});
