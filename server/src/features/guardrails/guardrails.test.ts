import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { GuardrailBlocked, whileOpening } from './public.ts';
import { claim } from '../sessions/run/run-service.ts';

const org = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let number = 0;
let repo: { id: string; repo: string };
beforeEach(async () => {
  await withinOneDay();
  await put('default', {});
  number += 1;
  const body = { provider: 'local', repo: `acme/guarded-${number}` };
  const { json } = await api.call('POST', `${org}/repositories`, { body });
  repo = { id: String(json['id']), repo: body.repo };
});

async function put(of: string, body: object): Promise<Record<string, unknown>> {
  const answer = await api.call('PUT', `${org}/guardrails/${of}`, { body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

function create(body: object = {}) {
  return api.call('POST', `${org}/sessions`, { body: { prompt: 'x', repositories: [{ repo: repo.repo }], ...body } });
}

async function violations(query = `?repo=${repo.repo}`): Promise<Record<string, unknown>[]> {
  const { json } = await api.call('GET', `${org}/guardrails/violations${query}`);
  return Array.isArray(json['items']) ? json['items'] : [];
}

async function createMany(bodies: readonly object[]): Promise<[created: number, refused: unknown[]]> {
  const answers = await Promise.all(bodies.map(create));
  const refused = answers.filter(({ status }) => status !== 201);
  return [answers.length - refused.length, refused.map(({ status, json }) => [status, json['error']])];
}

const blocked = [403, 'guardrail_blocked'];

describe('the rules', () => {
  test('of a repository are inherited from the default until they are set', async () => {
    await put('default', { max_changed_files: 5, secret_scan: 'warn' });
    const inherited = await api.call('GET', `${org}/guardrails/${repo.id}`);
    expect(inherited.json).toMatchObject({ max_changed_files: 5, secret_scan: 'warn', set_keys: [], updated_at: null });
    expect(await put(repo.id, { max_changed_files: 9 })).toMatchObject({
      repository_id: repo.id,
      repo: repo.repo,
      max_changed_files: 9,
      secret_scan: 'warn',
      set_keys: ['max_changed_files'],
    });
    const { json } = await api.call('GET', `${org}/guardrails/effective?repo=local:${repo.repo}`);
    expect(json).toMatchObject({
      max_changed_files: 9,
      sources: { max_changed_files: 'repository', secret_scan: 'organization', max_changed_lines: 'platform' },
    });
    const list = await api.call('GET', `${org}/guardrails`);
    expect(list.json).toMatchObject({ items: [{ repository_id: repo.id }], total: 1 });
    expect((await api.call('DELETE', `${org}/guardrails/${repo.id}`)).status).toBe(204);
    expect((await api.call('GET', `${org}/guardrails/${repo.id}`)).json).toEqual(inherited.json);
    expect((await api.call('GET', `${org}/guardrails/repo_none`)).json['error']).toBe('repository_not_found');
  });

  test('of the organization can be reset, but not deleted', async () => {
    const { status, json } = await api.call('DELETE', `${org}/guardrails/default`);
    expect([status, json['error'], json['message']]).toEqual([
      404,
      'not_found',
      'The default guardrails cannot be deleted. To reset them, replace them with {}.',
    ]);
  });

  test.each([
    ['protected_paths', ['infra', './infra']],
    ['protected_paths', ['infra', '/../infra']],
    ['protected_paths', ['infra', 'infra//modules/']],
    ['protected_paths', ['infra', ' infra']],
    ['protected_paths', ['infra', '/']],
    ['protected_branches', ['release/*', 'refs/heads/main']],
    ['protected_branches', ['release/*', 'main ']],
    ['protected_branches', ['release/*', 'a..b']],
  ])('of %s that can match nothing are refused: %j', async (rule, globs) => {
    const { status, json } = await api.call('PUT', `${org}/guardrails/${repo.id}`, { body: { [rule]: globs } });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toMatch(new RegExp(`^body\\.${rule}\\.1 must`));
    const whole = { protected_paths: ['*', '/a/**', '.github/', '**/x y.pem'], protected_branches: ['*', '*-lts'] };
    expect(await put(repo.id, whole)).toMatchObject(whole);
  });

  test('that are put again unchanged write no audit entry', async () => {
    const entries = async () => (await api.call('GET', `${org}/audit-logs?action=guardrails.update`)).json['total'];
    await put(repo.id, { max_changed_files: 3 });
    const before = await entries();
    await put(repo.id, { max_changed_files: 3 });
    expect(await entries()).toBe(before);
  });
});

test('of 64 change requests that are opened at once, exactly the allowed number is', async () => {
  await put(repo.id, { max_open_change_requests: 10 });
  const orgId = String((await api.call('GET', org)).json['id']);
  const repository = { id: repo.id, provider: 'local', repo: repo.repo };
  const others = Promise.withResolvers<void>();
  let [opened, refused] = [0, 0];
  const open = async (at: number): Promise<void> => {
    try {
      await whileOpening(api.ctx, orgId, { repository, headRef: `branch-${at}` }, async () => {
        opened += 1;
        // The provider answers after all others were decided.
        await others.promise;
      });
    } catch (error) {
      expect(error).toBeInstanceOf(GuardrailBlocked);
      refused += 1;
    }
    if (refused === 54) others.resolve();
  };
  await Promise.all(Array.from({ length: 64 }, (_, at) => open(at)));
  expect([opened, refused]).toEqual([10, 54]);
});

describe('a new session', () => {
  test.each([
    ['max_sessions_per_day', { max_sessions_per_day: 10 }, {}],
    ['max_concurrent_sessions', { max_concurrent_sessions: 10 }, {}],
    ['max_cost_per_day_usd', { max_cost_per_day_usd: 10 }, { budget: { max_cost_usd: 1 } }],
    ['max_cost_per_day_usd', { max_cost_per_day_usd: 5, max_cost_per_session_usd: 0.5 }, {}],
  ])('of 64 at once, exactly the number that %s allows is created', async (rule, rules, body) => {
    await put(repo.id, rules);
    const [created, refused] = await createMany(Array.from({ length: 64 }, () => body));
    expect(created).toBe(10);
    expect(refused).toEqual(Array.from({ length: 54 }, () => blocked));
    // Equal violations of a minute are one, with a count.
    for (const violation of await violations())
      expect(violation).toMatchObject({ rule, action: 'blocked', session_id: '', evidence: { stage: 'create' } });
    const { rows } = await api.ctx.db.pool.query(
      'select sum(count)::int as n from violations where repository_id = $1',
      [repo.id],
    );
    expect(rows).toEqual([{ n: 54 }]);
  });

  test('counts for its day also when it is deleted', async () => {
    await put(repo.id, { max_sessions_per_day: 1 });
    const { json } = await create();
    const path = `${org}/sessions/${String(json['id'])}`;
    await api.call('POST', `${path}/cancel`);
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect((await create()).json['error']).toBe('guardrail_blocked');
  });

  test('takes the place of one that ended', async () => {
    await put(repo.id, { max_concurrent_sessions: 1 });
    const { json } = await create();
    expect((await create()).status).toBe(403);
    await api.call('POST', `${org}/sessions/${String(json['id'])}/cancel`);
    expect((await create()).status).toBe(201);
  });

  test('gets the highest budget, and is refused with a higher one, also later', async () => {
    await put(repo.id, { max_cost_per_session_usd: 2 });
    const { json } = await create();
    expect(json['budget']).toMatchObject({ max_cost_usd: 2 });
    const higher = await create({ budget: { max_cost_usd: 2.5 } });
    expect([higher.status, higher.json['error'], higher.json['details']]).toEqual([
      ...blocked,
      { rule: 'max_cost_per_session_usd', repo: repo.repo, used: 2.5, allowed: 2 },
    ]);
    const path = `${org}/sessions/${String(json['id'])}`;
    const raised = await api.call('PATCH', path, { body: { budget: { max_cost_usd: 3 } } });
    expect([raised.status, raised.json['error']]).toEqual(blocked);
    expect((await api.call('PATCH', path, { body: { budget: {} } })).json['budget']).toMatchObject({ max_cost_usd: 2 });
  });

  test('of another origin is refused, and needs an approved plan where that is required', async () => {
    await put('default', { allowed_origins: ['console'] });
    expect((await create()).json['error']).toBe('guardrail_blocked');
    await put(repo.id, { allowed_origins: [], require_plan_approval: true });
    const { status, json } = await create();
    expect(status).toBe(201);
    const { rows } = await api.ctx.db.pool.query('select options from sessions where id = $1', [json['id']]);
    expect(rows[0]).toMatchObject({ options: { require_plan_approval: true } });
  });

  test('without a repository follows the default', async () => {
    await put('default', { allowed_origins: ['cli'] });
    expect((await create({ repositories: [] })).json['error']).toBe('guardrail_blocked');
  });
});

describe('dispatch', () => {
  test('waits while too many sessions of the repository run, and continues when one ends', async () => {
    const [one, two] = await Promise.all([create(), create()]).then((made) =>
      made.map(({ json }) => String(json['id'])),
    );
    if (one === undefined || two === undefined) throw new Error('nothing was created');
    await put(repo.id, { max_concurrent_sessions: 1 });
    expect(await claim(api.ctx, one, 'worker-1')).toMatchObject({ id: one });
    expect(await claim(api.ctx, two, 'worker-1')).toBeUndefined();
    const waiting = await api.call('GET', `${org}/sessions/${two}`);
    expect(waiting.json).toMatchObject({ status: 'queued', status_detail: 'capacity' });
    await api.call('POST', `${org}/sessions/${one}/cancel`);
    expect(await claim(api.ctx, two, 'worker-1')).toMatchObject({ id: two });
  });

  test('fails a session whose origin is not allowed any more', async () => {
    const id = String((await create()).json['id']);
    await put(repo.id, { allowed_origins: ['cli'] });
    expect(await claim(api.ctx, id, 'worker-1')).toBeUndefined();
    const { json } = await api.call('GET', `${org}/sessions/${id}`);
    expect(json).toMatchObject({ status: 'failed', status_detail: 'guardrail', error: { code: 'guardrail_blocked' } });
    expect(await violations(`?session_id=${id}`)).toMatchObject([
      { rule: 'allowed_origins', action: 'killed', evidence: { stage: 'dispatch' } },
    ]);
  });
});

describe('violations', () => {
  test('are acknowledged once, and published', async () => {
    await put(repo.id, { allowed_origins: ['cli'] });
    await create();
    const [violation] = await violations(`?repo=${repo.repo}&rule=allowed_origins`);
    expect(violation).toMatchObject({ repo: repo.repo, repository_id: repo.id, acknowledged_by: null, count: 1 });
    const path = `${org}/guardrails/violations/${String(violation?.['id'])}`;
    const first = await api.call('POST', `${path}/acknowledge`);
    expect(first.json).toMatchObject({ acknowledged_by: { type: 'user' } });
    expect((await api.call('POST', `${path}/acknowledge`)).json).toEqual(first.json);
    expect((await api.call('GET', path)).json).toEqual(first.json);
    const { rows } = await api.ctx.db.pool.query(
      'select action from audit_entries where resource_id = $1 order by action',
      [violation?.['id']],
    );
    expect(rows).toEqual([{ action: 'violation.acknowledge' }, { action: 'violation.create' }]);
  });
});

describe('a dry run', () => {
  test('names everything that would be blocked, and records nothing', async () => {
    const key = ['ghp', 'x'.repeat(0) + 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
    await put(repo.id, {
      allowed_origins: ['cli'],
      max_changed_lines: 3,
      protected_paths: ['infra/'],
      protected_branches: ['release/*'],
      commands_denied: ['git push'],
    });
    const { json, status } = await api.call('POST', `${org}/guardrails/evaluate`, {
      body: {
        repo: repo.repo,
        commands: ['ls', 'sh -c "git push"', 'curl x | sh'],
        branch: 'release/1',
        files: [
          { path: 'infra/a.tf', additions: 4 },
          { path: 'src/key.ts', content: `// secretlint-disable\nconst key = '${key}';` },
        ],
      },
    });
    expect(status).toBe(200);
    const findings: unknown = json['findings'];
    expect(Array.isArray(findings) ? findings.map((one) => [one.rule, one.items]) : []).toEqual([
      ['allowed_origins', ['api']],
      ['commands_denied', ['sh -c "git push"']],
      ['commands_denied', ['curl x | sh']],
      ['protected_branches', ['release/1']],
      ['max_changed_lines', []],
      ['protected_paths', ['infra/a.tf']],
      ['secret_scan', ['src/key.ts:2 github']],
    ]);
    expect(JSON.stringify(json)).not.toContain(key);
    expect(json['allowed']).toBe(false);
    expect(await violations()).toEqual([]);
  });
});
