import { script, startScriptedModel, type ScriptedModel, type Step } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { join, personalKey } from '../../../../test/support/members.ts';
import type { AgentRunner } from '../../../adapters/agent/port.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../../../../test/support/sessions.ts';
import { secretsForSession } from '../../../features/secrets/public.ts';

const opened = [{ purpose: 'model', target: '127.0.0.0/8' } as const];
const usage = { input: 10_000, output: 1_000, cached: 4_000 };
const priced = { input_per_mtok: 2, output_per_mtok: 10, cached_input_per_mtok: 0.5 };

/** An organization, and requests of its administrator. */
interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
}

let fixture: RuntimeFixture;
let first: Tenant;
let second: Tenant;
let here: ScriptedModel;
let there: ScriptedModel;

beforeAll(async () => {
  fixture = await createRuntimeFixture({}, undefined, { egressAllow: opened, slots: 3 });
  const { json } = await fixture.api.call('GET', '/v3/organizations/default');
  first = { id: String(json['id']), slug: 'default', key: fixture.api.adminKey };
  second = await fixture.api.createOrganization('Second');
});
beforeEach(async () => {
  [here, there] = await Promise.all([startScriptedModel(), startScriptedModel()]);
});
afterEach(async () => {
  for (const tenant of [first, second]) await call(tenant, 'DELETE', '/settings/models');
  await Promise.all([here.close(), there.close()]);
});
afterAll(() => fixture.close());

async function call({ slug, key }: Tenant, method: string, path: string, body?: unknown) {
  const answer = await fixture.api.call(method, `/v3/organizations/${slug}${path}`, { key, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer;
}

const put = (tenant: Tenant, value: object) => call(tenant, 'PUT', '/settings/models', value);

const at = (model: ScriptedModel, more: object = {}) => ({
  name: 'ours',
  kind: 'openai_compatible',
  base_url: `${model.url}/v1`,
  secret: '',
  ...more,
});

async function store(tenant: Tenant, key: string, value: string): Promise<string> {
  return String((await call(tenant, 'POST', '/secrets', { key, value })).json['id']);
}

async function begin(tenant: Tenant, body: object = {}, steps: Step[] = [{ say: 'Done.', usage }]): Promise<string> {
  const { json } = await call(tenant, 'POST', '/sessions', { prompt: script(steps), repositories: [], ...body });
  return String(json['id']);
}

/** Returns a session after the end of its turn. */
async function ended(tenant: Tenant, id: string): Promise<Record<string, unknown>> {
  return fixture.until(async () => {
    const { json } = await call(tenant, 'GET', `/sessions/${id}`);
    return ['queued', 'provisioning', 'running'].includes(String(json['status'])) ? undefined : json;
  }, `the end of ${id}`);
}

const run = async (tenant: Tenant, body?: object) => ended(tenant, await begin(tenant, body));

/** Returns the keys that a server received. */
const keysAt = ({ requests }: ScriptedModel) => new Set(requests.map(({ headers }) => headers.authorization));

function failed(message: string): object {
  return {
    status: 'failed',
    status_detail: 'model_error',
    error: { code: 'model_error', message: expect.stringContaining(message) },
  };
}

describe('two organizations with providers of the same name', () => {
  const keys = { first: 'sk-of-the-first-0123456789', second: 'sk-of-the-second-0123456789' };

  test('keep their keys out of every sandbox, but for a session that chose them', async () => {
    await fixture.stopWorkers();
    const key = await store(first, 'PROVIDER_KEY', keys.first);
    const other = await store(first, 'OTHER', 'another-secret-value');
    await put(first, { providers: [at(here, { secret: 'PROVIDER_KEY' })], default: 'scripted' });
    const gets = async (body: object) => {
      const id = await begin(first, body);
      const got = await secretsForSession(fixture.api.ctx, { id, orgId: first.id });
      await call(first, 'POST', `/sessions/${id}/cancel`, {});
      return got.map(({ id: secret }) => secret);
    };
    expect(await gets({})).toContain(other);
    expect(await gets({})).not.toContain(key);
    expect(await gets({ secret_ids: [key] })).toEqual([key]);
    await call(first, 'DELETE', '/settings/models');
    expect(await gets({})).toContain(key);
  });

  test('reach each its own with its own key, and pay its own prices', async () => {
    await store(first, 'MODEL_KEY', keys.first);
    await store(second, 'MODEL_KEY', keys.second);
    const secret = 'MODEL_KEY';
    await put(first, { providers: [at(here, { secret })], default: 'scripted', prices: { 'ours/scripted': priced } });
    await put(second, {
      providers: [at(there, { secret })],
      default: 'ours/scripted',
      prices: { scripted: { input_per_mtok: 1, output_per_mtok: 1 } },
    });
    await fixture.worker();
    const started = await Promise.all([begin(first), begin(second)]);
    const mine = await ended(first, started[0]);
    const theirs = await ended(second, started[1]);
    const counts = { input_tokens: 10_000, output_tokens: 1_000, cached_input_tokens: 4_000 };
    // 6,000 at 2, 4,000 at 0.5 and 1,000 at 10; and 11,000 at 1.
    expect(mine).toMatchObject({ status: 'completed', model: 'ours/scripted', usage: { ...counts, cost_usd: 0.024 } });
    expect(theirs).toMatchObject({
      status: 'completed',
      model: 'ours/scripted',
      usage: { ...counts, cost_usd: 0.011 },
    });
    expect(keysAt(here)).toEqual(new Set([`Bearer ${keys.first}`]));
    expect(keysAt(there)).toEqual(new Set([`Bearer ${keys.second}`]));
    const used = await call(second, 'GET', `/sessions/${started[1]}/usage`);
    expect(used.json['by_model']).toMatchObject([{ model: 'ours/scripted', cost_usd: 0.011 }]);
    for (const [tenant, id] of [
      [first, started[0]],
      [second, started[1]],
    ] as const)
      for (const rest of ['', '/events?first=200'])
        expect((await call(tenant, 'GET', `/sessions/${id}${rest}`)).text).not.toMatch(/sk-of-the/);
  });

  test('get no secret that is for other hosts', async () => {
    const value = 'sk-for-another-host-0123456';
    const body = { key: 'ELSEWHERE', value, exposure: 'broker', allowed_hosts: ['api.example.com'] };
    const { status } = await call(first, 'POST', '/secrets', body);
    expect(status).toBe(201);
    await put(first, { providers: [at(here, { secret: 'ELSEWHERE' })], default: 'scripted' });
    await fixture.worker();
    expect(await run(first)).toMatchObject(failed("needs the organization's secret ELSEWHERE"));
    expect(keysAt(here)).not.toContain(`Bearer ${value}`);
  });

  test('use a rotated key from the next session on, and say so when it is gone', async () => {
    const id = await store(first, 'ROTATED', 'sk-before-the-rotation-0123');
    await put(first, { providers: [at(here, { secret: 'ROTATED' })], default: 'scripted' });
    await fixture.worker();
    await run(first);
    await call(first, 'PUT', `/secrets/${id}`, { value: 'sk-after-the-rotation-01234\n' });
    expect(await run(first)).toMatchObject({ status: 'completed' });
    expect([...keysAt(here)]).toEqual(['Bearer sk-before-the-rotation-0123', 'Bearer sk-after-the-rotation-01234']);
    await call(first, 'DELETE', `/secrets/${id}`);
    expect(await run(first)).toMatchObject(failed("needs the organization's secret ROTATED, which does not exist"));
  });
});

describe("an organization's provider", () => {
  test('at a private address is refused where the operator did not open it', async () => {
    await put(first, { providers: [at(here)], default: 'scripted' });
    await fixture.worker({ egressAllow: [] });
    const port = new URL(here.url).port;
    expect(await run(first)).toMatchObject(failed(`GUILDHALL_EGRESS_ALLOW=model=127.0.0.1:${port}`));
    expect(here.requests).toEqual([]);
  });

  test("comes before the operator's of the same name, whose price is none of its own", async () => {
    await put(first, { providers: [at(here, { name: 'openai' })] });
    await fixture.worker({ modelUrl: there.url });
    expect(await run(first)).toMatchObject({ status: 'completed', model: 'openai/scripted' });
    expect([here.requests.length, there.requests.length]).toEqual([1, 0]);
    expect(await run(second)).toMatchObject({ status: 'completed', model: 'openai/scripted' });
    expect([here.requests.length, there.requests.length]).toEqual([1, 1]);
  });

  test('may be of any kind; at a URL of its own nothing has a published price', async () => {
    const models = ['claude-sonnet-5', 'gpt-6-sol', 'gemini-3.8-flash'];
    const kinds = ['anthropic', 'openai', 'google'];
    await put(first, { providers: kinds.map((kind) => at(here, { name: `our-${kind}`, kind, base_url: here.url })) });
    await fixture.worker();
    const ids = await Promise.all(kinds.map((kind, index) => begin(first, { model: `our-${kind}/${models[index]}` })));
    for (const id of ids)
      expect(await ended(first, id)).toMatchObject({
        status: 'completed',
        usage: { input_tokens: 10_000, cost_usd: 0 },
      });
    expect(new Set(here.requests.map(({ api, model }) => `${api} ${model}`))).toEqual(
      new Set(['messages claude-sonnet-5', 'responses gpt-6-sol', 'gemini gemini-3.8-flash']),
    );
  });
});

describe("through its door a session's agent reaches", () => {
  /**
   * Returns the result of requesting each model through the session's own gateway endpoint, before its agent started.
   */
  async function asked(tenant: Tenant, names: string[]): Promise<number[]> {
    const statuses: number[] = [];
    const probing = (runner: AgentRunner): AgentRunner => ({
      ...runner,
      async start(options) {
        const { url, headers } = options.model ?? expect.fail('no model');
        const messages = [{ role: 'user', content: script([{ say: 'Hello.' }]) }];
        for (const model of names) {
          const body = JSON.stringify({ model, messages });
          statuses.push((await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status);
        }
        return runner.start(options);
      },
    });
    await fixture.worker({
      change: (ctx) => ({ ...ctx, agents: { builtin: probing(ctx.agents.builtin ?? expect.fail('no runner')) } }),
    });
    expect(await run(tenant)).toMatchObject({ status: 'completed' });
    return statuses;
  }

  test('the model of the session, and others only as it could have been started with them', async () => {
    await put(first, {
      providers: [at(here)],
      default: 'ours/scripted',
      allowed: ['ours/scripted', 'ours/other', 'ours/large'],
      pro_only: ['ours/large'],
    });
    const userId = await join(fixture.api, first.id, 'member');
    const member = { ...first, key: await personalKey(fixture.api, first.id, userId) };
    const names = ['scripted', 'other', 'large', 'stranger'];
    expect(await asked(member, names)).toEqual([200, 200, 403, 403]);
    await call(first, 'PUT', '/roles', { user_id: userId, role: 'pro' });
    expect(await asked(member, names)).toEqual([200, 200, 200, 403]);
    expect(here.requests.map(({ model }) => model)).not.toContain('stranger');
  });
});

describe('a worker that knows more than the API', () => {
  test('limits the default to the allowed models, and a session keeps its first model', async () => {
    await fixture.stopWorkers();
    const left = await begin(first);
    const { json } = await call(first, 'GET', `/sessions/${left}`);
    expect(json['model']).toBe('');
    await put(first, { allowed: ['anthropic/*'] });
    await fixture.worker({ modelUrl: there.url });
    expect(await ended(first, left)).toMatchObject(failed('openai/scripted is not allowed'));
    await call(first, 'DELETE', '/settings/models');
    const id = await begin(first);
    expect(await ended(first, id)).toMatchObject({ status: 'completed', model: 'openai/scripted' });
    await put(first, { allowed: ['anthropic/*'] });
    await call(first, 'POST', `/sessions/${id}/messages`, { content: script([{ say: 'Again.' }]) });
    await fixture.event(
      id,
      ({ kind, turn, data }) => kind === 'status' && turn === 2 && data['status'] === 'completed',
    );
    expect(there.requests).toHaveLength(2);
  });

  test('holds a regular member to pro_only, also for the default that only it knows', async () => {
    await fixture.stopWorkers();
    const person = async (role: string): Promise<Tenant> => {
      const userId = await join(fixture.api, first.id, 'member');
      await call(first, 'PUT', '/roles', { user_id: userId, role });
      return { ...first, key: await personalKey(fixture.api, first.id, userId) };
    };
    await put(first, { pro_only: ['openai/scripted'] });
    const [regular, pro] = [await begin(await person('regular')), await begin(await person('pro'))];
    const machine = await begin({ ...first, key: await fixture.api.keyWith(['run']) });
    await fixture.worker({ modelUrl: there.url });
    expect(await ended(first, regular)).toMatchObject(failed('openai/scripted requires the role pro'));
    expect(await ended(first, pro)).toMatchObject({ status: 'completed' });
    expect(await ended(first, machine)).toMatchObject({ status: 'completed' });
  });

  test('says what to configure for a provider that nobody has', async () => {
    await fixture.worker({ modelUrl: there.url });
    expect(await run(first, { model: 'mistral/large' })).toMatchObject(
      failed('mistral/large has an unknown provider. Use <provider>/<name> with'),
    );
    await put(first, { providers: [at(here)] });
    expect(await run(second, { model: 'ours/scripted' })).toMatchObject(
      failed('ours/scripted has an unknown provider'),
    );
  });
});
