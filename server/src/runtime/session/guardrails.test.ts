import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';

// Real sandboxes and real git, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker();
});

afterAll(async () => {
  await fixture.close();
});

const org = '/v3/organizations/default';

async function repositoryWith(rules: object) {
  const repository = await fixture.repository({ 'a.txt': 'a\n' });
  const answer = await fixture.api.call('PUT', `${org}/guardrails/${repository.id}`, { body: rules });
  expect(answer.status).toBe(200);
  return repository;
}

async function violationsOf(sessionId: string): Promise<unknown> {
  const { json } = await fixture.api.call('GET', `${org}/guardrails/violations?session_id=${sessionId}`);
  return json['items'];
}

const guardrail = { status: 'failed', status_detail: 'guardrail' };

describe('a session is ended, and nothing of it is pushed,', () => {
  test.each([
    ['commands_denied', { commands_denied: ['touch'] }, 'echo b > b.txt; env A=b touch c', 'tool_call'],
    ['max_changed_files', { max_changed_files: 1 }, 'echo b > b.txt; echo c > c.txt', 'push'],
    ['max_changed_lines', { max_changed_lines: 2 }, 'printf "1\\n2\\n3\\n" > a.txt', 'push'],
    ['protected_paths', { protected_paths: ['infra/'] }, 'mkdir infra; echo x > infra/x', 'push'],
    ['protected_branches', { protected_branches: ['*'] }, 'echo b > b.txt', 'push'],
    ['secret_scan', {}, 'printf "a\\nghp_%s\\n" wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx > key.txt', 'push'],
  ])('by %s', async (rule, rules, run, stage) => {
    const repository = await repositoryWith(rules);
    const session = await fixture.run({ repository, agent: { steps: [{ run }], summary: '' } });
    expect(session).toMatchObject({ ...guardrail, error: { code: rule === 'commands_denied' ? 'guardrail' : rule } });
    expect(await violationsOf(session.id)).toMatchObject([{ rule, action: 'killed', evidence: { stage } }]);
    expect(JSON.stringify(await violationsOf(session.id))).not.toContain('wWPw5k4');
    expect(await fixture.git('/', 'ls-remote', '--heads', repository.cloneUrl)).toMatch(/^\S+\trefs\/heads\/main$/);
  });

  test('unless the rule only warns', async () => {
    const repository = await repositoryWith({ secret_scan: 'warn' });
    const run = 'printf "ghp_%s" wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx > key.txt';
    const session = await fixture.run({ repository, agent: { steps: [{ run }], summary: '' } });
    expect(session).toMatchObject({ status: 'completed' });
    expect(await violationsOf(session.id)).toMatchObject([{ rule: 'secret_scan', action: 'warned' }]);
  });
});

test('of concurrent sessions, exactly the allowed number opens change requests', async () => {
  const repository = await repositoryWith({ max_open_change_requests: 2 });
  const agent = { steps: [{ run: 'date +%N > b.txt' }], summary: '' };
  const sessions = await Promise.all(Array.from({ length: 5 }, () => fixture.run({ repository, agent })));
  expect(sessions.filter(({ status }) => status === 'completed')).toHaveLength(2);
  expect(sessions.filter(({ error }) => error?.code === 'max_open_change_requests')).toHaveLength(3);
  expect(await fixture.changeRequests(repository)).toHaveLength(2);
});
