import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { sessionIn, start, take } from '../../../../test/support/session-states.ts';
import { newId } from '../../../lib/ids.ts';
import { secretsForSession } from '../../secrets/public.ts';
import { recordContext } from './context-service.ts';
import { reserveCall } from '../run/model-service.ts';
import type { Run } from '../run/run-service.ts';
import { endSessionKey, issueSessionKey } from '../run/session-key-service.ts';

const sessions = '/v3/organizations/default/sessions';

const givenSkill = { name: 'given', description: 'Says given.', revision: 1, digest: '', path: '~/x', reason: '' };

interface Running {
  id: string;
  path: string;
  run: Run;
  key: string;
}

let api: TestApi;
let second: TestApi;
let orgId: string;
let repository: string;
beforeAll(async () => {
  api = await startTestApi({ ANTHROPIC_API_KEY: 'k' });
  second = await api.another();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  const made = await api.call('POST', '/v3/organizations/default/repositories', {
    body: { provider: 'local', repo: 'acme/own' },
  });
  repository = String(made.json['repo']);
  await api.call('POST', '/v3/organizations/default/repositories', { body: { provider: 'local', repo: 'acme/other' } });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

/** Creates a running session, with the key of its run. */
async function running(body: object = {}): Promise<Running> {
  const { id, path, run } = await sessionIn(api, 'running', body);
  if (run === undefined) throw new Error('nothing runs');
  return { id, path, run, key: (await issueSessionKey(api.ctx, run)).key };
}

function bear({ key }: Running, body: object = {}): Promise<Answer> {
  return api.call('POST', sessions, { key, body: { prompt: 'Help.', ...body } });
}

async function child(parent: Running, body: object = {}): Promise<string> {
  const { status, json, text } = await bear(parent, body);
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

function refusalOf({ status, json }: Answer): unknown[] {
  // A session has its own field `error`.
  return [status, status < 400 ? undefined : json['error']];
}

describe("a session's key", () => {
  test('says who it is', async () => {
    const session = await running({ title: 'Works' });
    const { json } = await api.call('GET', '/v3/self', { key: session.key });
    expect(json).toMatchObject({
      principal_type: 'session',
      principal_id: session.id,
      name: 'Works',
      scopes: ['sessions:read', 'run'],
      role: '',
      permission: '',
    });
  });

  test('reads its own session and its children, and no other', async () => {
    const parent = await running();
    const own = await child(parent);
    const grown = await start(api, own);
    const grandchild = await child({ id: own, path: '', run: grown, key: (await issueSessionKey(api.ctx, grown)).key });
    const stranger = await sessionIn(api, 'running');
    const parts = ['', '/messages', '/events', '/usage', '/children', '/change-requests', '/artifacts', '/context'];
    for (const part of parts) {
      for (const id of [parent.id, own])
        expect([part, (await api.call('GET', `${sessions}/${id}${part}`, { key: parent.key })).status]).toEqual([
          part,
          200,
        ]);
      for (const id of [stranger.id, grandchild, newId('ses')]) {
        const answer = await api.call('GET', `${sessions}/${id}${part}`, { key: parent.key });
        expect([part, ...refusalOf(answer)]).toEqual([part, 404, 'session_not_found']);
        expect(answer.json['message']).toBe(`No session "${id}" exists here.`);
      }
    }
  });

  test('opens nothing else: 403 to every other operation of the document', async () => {
    const session = await running();
    const { json } = await api.call('GET', '/openapi.json');
    const open = new Set(['getSelf', 'createSession']);
    let refused = 0;
    for (const [path, methods] of Object.entries(Object(json['paths'])))
      for (const [method, operation] of Object.entries(Object(methods))) {
        const { operationId, security } = Object(operation);
        const isPublic = Array.isArray(security) && security.length === 0;
        if (isPublic || open.has(operationId)) continue;
        if (method === 'get' && path.startsWith('/v3/organizations/{orgId}/sessions/{id}')) continue;
        const values: Record<string, string> = { orgId, id: session.id };
        const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x_none');
        const answer = await api.call(method.toUpperCase(), url, {
          key: session.key,
          ...(method === 'get' || method === 'delete' ? {} : { body: {} }),
        });
        expect([operationId, ...refusalOf(answer)]).toEqual([operationId, 403, 'forbidden']);
        refused += 1;
      }
    expect(refused).toBeGreaterThan(60);
    const mcp = await api.call('POST', '/mcp', { key: session.key, body: {} });
    const git = await api.call('GET', `/git/default/${repository}.git/info/refs?service=git-upload-pack`, {
      key: session.key,
    });
    expect([refusalOf(mcp), refusalOf(git)]).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
  });

  test('ends with the run: at its end, when another takes over, when the session is canceled or deleted', async () => {
    const works = async ({ key }: Running): Promise<unknown[]> => [
      ...refusalOf(await api.call('GET', '/v3/self', { key })),
      ...refusalOf(await second.call('GET', '/v3/self', { key })),
    ];
    const gone = [401, 'key_revoked', 401, 'key_revoked'];
    const ended = await running();
    const key = await issueSessionKey(api.ctx, ended.run);
    await endSessionKey(api.ctx, key);
    expect(await works({ ...ended, key: key.key })).toEqual(gone);

    const overtaken = await running();
    expect(await works(overtaken)).toEqual([200, undefined, 200, undefined]);
    await api.ctx.db.pool.query("update sessions set lease_until = now() - interval '1 minute' where id = $1", [
      overtaken.id,
    ]);
    await take(api, overtaken.id, 'worker-2');
    expect(await works(overtaken)).toEqual(gone);
    await expect(issueSessionKey(api.ctx, overtaken.run)).rejects.toThrow('no longer');

    const canceled = await running();
    await api.call('POST', `${canceled.path}/cancel`);
    expect(await works(canceled)).toEqual(gone);

    const deleted = await running();
    await api.call('DELETE', `${deleted.path}?force=true`);
    expect(await works(deleted)).toEqual(gone);
  });

  test('works from outside the IP access list, which nobody else does', async () => {
    const session = await running();
    const list = '/v3/organizations/default/ip-access-list';
    const body = { enabled: true, entries: [{ cidr: '192.0.2.0/24', note: '' }], force: true };
    await api.call('PUT', list, { body });
    try {
      expect((await api.call('GET', '/v3/self', { key: session.key })).status).toBe(200);
      expect(refusalOf(await api.call('GET', '/v3/self'))).toEqual([403, 'ip_not_allowed']);
    } finally {
      await api.ctx.db.pool.query(
        'update organizations set ip_list_enabled = false, ip_list_revision = ip_list_revision + 1',
      );
    }
  });
});

describe('a child', () => {
  test('belongs to its parent, and is on the account of who began the family', async () => {
    const person = await join(api, orgId, 'member');
    const created = await api.call('POST', sessions, {
      key: await personalKey(api, orgId, person),
      body: { prompt: 'Begin.' },
    });
    const id = String(created.json['id']);
    const run = await start(api, id);
    const parent = { id, path: `${sessions}/${id}`, run, key: (await issueSessionKey(api.ctx, run)).key };
    const { status, json } = await bear(parent);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      parent_session_id: id,
      origin: 'session',
      created_by: { type: 'user', id: person },
      status: 'queued',
    });
    const childId = String(json['id']);
    const messages = await api.call('GET', `${sessions}/${childId}/messages`);
    expect(messages.json['items']).toMatchObject([{ role: 'user', created_by: { type: 'session', id } }]);
    const events = await api.call('GET', `${parent.path}/events?first=200`);
    const told = Object(events.json['items']).filter(({ kind }: { kind: string }) => kind === 'child');
    expect(told).toMatchObject([{ data: { session_id: childId, status: 'queued' } }]);
    const { rows } = await api.ctx.db.pool.query<object>(
      "select action, actor_type, actor_id from audit_entries where resource_id = $1 and outcome = 'success'",
      [childId],
    );
    expect(rows).toEqual([{ action: 'session.create', actor_type: 'session', actor_id: id }]);
  });

  test('is none of a family whose beginner was disabled or has left', async () => {
    const users = '/v3/organizations/default/service-users';
    const machine = String((await api.call('POST', users, { body: { name: 'builder' } })).json['id']);
    const issued = await api.call('POST', `${users}/${machine}/keys`, { body: { name: 'k', scopes: ['run'] } });
    const person = await join(api, orgId, 'member');
    const beginners = [
      { key: String(issued.json['key']), gone: `service-users/${machine}` },
      { key: await personalKey(api, orgId, person), gone: `members/${person}` },
    ];
    for (const { key, gone } of beginners) {
      const created = await api.call('POST', sessions, { key, body: { prompt: 'Begin.' } });
      const id = String(created.json['id']);
      const run = await start(api, id);
      const parent = { id, path: `${sessions}/${id}`, run, key: (await issueSessionKey(api.ctx, run)).key };
      expect(refusalOf(await bear(parent))).toEqual([201, undefined]);
      expect((await api.call('DELETE', `/v3/organizations/default/${gone}`)).status).toBe(204);
      expect(refusalOf(await bear(parent))).toEqual([403, 'forbidden']);
    }
  });

  test('is listed with its parent, newest first, archived ones too, for everybody who may read', async () => {
    const parent = await running();
    const ids = [await child(parent), await child(parent), await child(parent)].reverse();
    await api.ctx.db.pool.query('update sessions set archived = true where id = $1', [ids[0]]);
    const idsOf = ({ json }: Answer): unknown[] => Object(json['items']).map(({ id }: { id: string }) => id);
    const all = await api.call('GET', `${parent.path}/children`);
    expect([idsOf(all), all.json['total']]).toEqual([ids, 3]);
    const page = await api.call('GET', `${parent.path}/children?first=2`);
    const rest = await api.call('GET', `${parent.path}/children?first=2&after=${String(page.json['end_cursor'])}`);
    expect([idsOf(page), idsOf(rest), rest.json['has_next_page']]).toEqual([ids.slice(0, 2), ids.slice(2), false]);
    expect(idsOf(await api.call('GET', `${sessions}/${ids[0]}/children`))).toEqual([]);
    expect(refusalOf(await api.call('GET', `${sessions}/ses_none/children`))).toEqual([404, 'session_not_found']);
    const noScope = await api.call('GET', `${parent.path}/children`, { key: await api.keyWith(['run']) });
    expect(refusalOf(noScope)).toEqual([403, 'forbidden']);
    expect(refusalOf(await api.call('GET', `${parent.path}/children?first=0`))).toEqual([400, 'invalid_request']);
  });

  test.each<[string, object, object, unknown[]]>([
    [
      'a repository that its parent has',
      { repositories: [{ repo: 'acme/own' }] },
      { repositories: [{ repo: 'acme/own' }] },
      [201, undefined],
    ],
    [
      'one that its parent lacks',
      { repositories: [{ repo: 'acme/own' }] },
      { repositories: [{ repo: 'acme/other' }] },
      [404, 'repository_not_found'],
    ],
    [
      'to push to the branch of a change request that its parent does not continue',
      { repositories: [{ repo: 'acme/own' }] },
      { repositories: [{ repo: 'acme/own', change_request: 1 }] },
      [403, 'forbidden'],
    ],
    ['one that nobody has', {}, { repositories: [{ repo: 'acme/none' }] }, [404, 'repository_not_found']],
    ['more than it may ask', { mode: 'ask' }, { mode: 'plan' }, [403, 'forbidden']],
    ['changes, of a parent that only plans', { mode: 'plan' }, { mode: 'build' }, [403, 'forbidden']],
    ['less', { mode: 'plan' }, { mode: 'ask' }, [201, undefined]],
    [
      'to carry out an approved plan, of a parent that only plans',
      { mode: 'plan' },
      { require_plan_approval: true },
      [403, 'forbidden'],
    ],
    [
      'to ask, of a parent whose plan had to be approved',
      { require_plan_approval: true },
      { mode: 'ask' },
      [201, undefined],
    ],
    [
      'to deliver more',
      { repositories: [{ repo: 'acme/own' }], deliver: 'branch' },
      { deliver: 'draft' },
      [403, 'forbidden'],
    ],
    [
      'more tokens than there are',
      { budget: { max_tokens: 100 } },
      { budget: { max_tokens: 101 } },
      [402, 'budget_exceeded'],
    ],
    ['all of them', { budget: { max_tokens: 100 } }, { budget: { max_tokens: 100 } }, [201, undefined]],
    [
      'more money than there is',
      { budget: { max_cost_usd: 1 } },
      { budget: { max_cost_usd: 1.01 } },
      [402, 'budget_exceeded'],
    ],
    ['more minutes', { budget: { max_minutes: 5 } }, { budget: { max_minutes: 6 } }, [402, 'budget_exceeded']],
    ['more turns', { budget: { max_turns: 2 } }, { budget: { max_turns: 3 } }, [402, 'budget_exceeded']],
    ['memory, of a parent without', { memory_enabled: false }, { memory_enabled: true }, [403, 'forbidden']],
    ['none', { memory_enabled: true }, { memory_enabled: false }, [201, undefined]],
    ['another model', { model: 'anthropic/small' }, { model: 'anthropic/large' }, [403, 'forbidden']],
    ['the same model', { model: 'anthropic/small' }, { model: 'anthropic/small' }, [201, undefined]],
    ['no prompt', {}, { prompt: ' ' }, [400, 'prompt_required']],
    ['something unknown', {}, { parent_session_id: 'ses_x' }, [400, 'invalid_request']],
  ])('that wants %s', async (_what, ofParent, ofChild, outcome) => {
    expect(refusalOf(await bear(await running(ofParent), ofChild))).toEqual(outcome);
  });

  test('has the agent, the model and the memory of its parent where it names none, and of another agent the model too', async () => {
    const agentOf = async (body: object): Promise<string> =>
      String((await api.call('POST', '/agents', { body: { name: 'a', ...body } })).json['id']);
    const [own, other] = [await agentOf({ model: 'anthropic/small' }), await agentOf({ model: 'anthropic/large' })];
    const parent = await running({ agent_id: own, memory_enabled: false });
    const same = { agent_id: own, model: 'anthropic/small', memory_enabled: false };
    expect((await bear(parent)).json).toMatchObject(same);
    expect((await bear(parent, { agent_id: '', model: '' })).json).toMatchObject(same);
    expect((await bear(parent, { agent_id: other })).json).toMatchObject({ agent_id: other, model: 'anthropic/small' });
    const script = await agentOf({ runtime: 'script', runtime_config: { steps: [{ run: 'true' }], summary: '' } });
    const without = await running({ agent_id: script });
    expect(refusalOf(await bear(without, { agent_id: other }))).toEqual([403, 'forbidden']);
    expect((await bear(without)).json).toMatchObject({ agent_id: script, model: '' });
  });

  test('is given the files of its parent, and no others', async () => {
    const fileOf = async (): Promise<string> => {
      const form = new FormData();
      form.append('file', new Blob(['x']), 'x.txt');
      const response = await fetch(`${api.url}/v3/organizations/default/attachments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api.adminKey}` },
        body: form,
      });
      return String(Object(await response.json()).id);
    };
    const [own, other] = [await fileOf(), await fileOf()];
    const parent = await running({ attachment_ids: [own] });
    await api.ctx.db.pool.query("update session_messages set state = 'delivered' where session_id = $1", [parent.id]);
    expect(refusalOf(await bear(parent, { attachment_ids: [own] }))).toEqual([201, undefined]);
    expect(refusalOf(await bear(parent, { attachment_ids: [own, other] }))).toEqual([404, 'attachment_not_found']);
  });

  test('of a parent that named no notes, skills, tool servers and secrets has those that its parent was given, and no others', async () => {
    const made = async (path: string, body: object): Promise<string> => {
      const { status, json, text } = await api.call('POST', `/v3/organizations/default${path}`, { body });
      if (status !== 201) throw new Error(text);
      return String(json['note_id'] ?? json['id']);
    };
    const both = async (path: string, body: (name: string) => object) => ({
      own: await made(path, body('given')),
      other: await made(path, body('withheld')),
    });
    const notes = await both('/knowledge/notes', (name) => ({ name, trigger: 'Always', body: name }));
    const content = (name: string) => `---\nname: ${name}\ndescription: Says ${name}.\n---\n\nSay it.\n`;
    const skills = await both('/skills', (name) => ({ files: [{ path: 'SKILL.md', content: content(name) }] }));
    const servers = await both('/mcp-servers', (name) => ({ name, url: 'https://tools.example/mcp' }));
    const parent = await running();
    await recordContext(api.ctx, parent.run, {
      knowledge: [{ note_id: notes.own, name: 'given', revision: 1, scope: 'organization', score: 1, reason: '' }],
      skills: [
        { ...givenSkill, id: skills.own, source: 'managed' },
        { ...givenSkill, id: '', source: 'repository' },
      ],
      mcp_servers: [
        { id: servers.own, slug: 's', name: 'given', transport: 'http', tools: [], problem: '', reason: '' },
      ],
    });
    const early = await made('/secrets', { key: 'EARLY', value: 'a value of some length' });
    await secretsForSession(api.ctx, parent.run);
    const late = await made('/secrets', { key: 'LATE', value: 'a value of some length' });
    const kinds: [string, { own: string; other: string }][] = [
      ['knowledge_ids', notes],
      ['skill_ids', skills],
      ['mcp_server_ids', servers],
      ['secret_ids', { own: early, other: late }],
    ];
    const optionsOf = async (id: unknown): Promise<Record<string, unknown>> => {
      const { rows } = await api.ctx.db.pool.query<{ options: object }>('select options from sessions where id = $1', [
        id,
      ]);
      return { ...rows[0]?.options };
    };
    for (const [name, { own, other }] of kinds) {
      expect([name, ...refusalOf(await bear(parent, { [name]: [own] }))]).toEqual([name, 201, undefined]);
      expect([name, ...refusalOf(await bear(parent, { [name]: [own, other] }))]).toEqual([name, 403, 'forbidden']);
    }
    const plain = await optionsOf(await child(parent));
    expect(plain).toMatchObject({
      knowledge_ids: [notes.own],
      mcp_server_ids: [servers.own],
      secret_ids: [early],
      skills_within: [skills.own],
    });
    // The repository's own skills come with it, as for its parent.
    expect(plain).not.toHaveProperty('skill_ids');
    const unequipped = await optionsOf(await child(await running()));
    expect(unequipped).toMatchObject({ knowledge_ids: [], mcp_server_ids: [], secret_ids: [], skills_within: [] });
  });

  test("has none of a person's own secrets, also where its first words were taken back", async () => {
    const body = { key: 'OWN', value: 'a value of some length', scope: 'user' };
    const own = await api.call('POST', '/v3/organizations/default/secrets', { body });
    const parent = await running();
    const keys = async (id: string) => (await secretsForSession(api.ctx, { id, orgId })).map(({ key }) => key);
    expect(await keys(parent.id)).toContain('OWN');
    const id = await child(parent);
    const [first] = Object((await api.call('GET', `${sessions}/${id}/messages`)).json['items']);
    expect((await api.call('DELETE', `${sessions}/${id}/messages/${first.id}`)).status).toBe(204);
    expect(await keys(id)).not.toContain('OWN');
    await api.call('DELETE', `/v3/organizations/default/secrets/${String(own.json['id'])}`);
  });

  test('does without what its parent named and is gone, or belongs to a repository that it has not', async () => {
    const secret = async (more: object): Promise<string> => {
      const body = { value: 'a value of some length', ...more };
      return String((await api.call('POST', '/v3/organizations/default/secrets', { body })).json['id']);
    };
    const [gone, there] = [await secret({ key: 'GONE' }), await secret({ key: 'THERE' })];
    const bound = await secret({ key: 'BOUND', scope: 'repository', repo: repository });
    const parent = await running({
      repositories: [{ repo: repository }],
      secret_ids: [gone, there, bound],
    });
    await api.call('DELETE', `/v3/organizations/default/secrets/${gone}`);
    expect(refusalOf(await bear(parent))).toEqual([201, undefined]);
    expect(refusalOf(await bear(parent, { secret_ids: [gone] }))).toEqual([404, 'secret_not_found']);
  });

  test('of a session whose plan had to be approved needs an approval of its own', async () => {
    const parent = await running({ require_plan_approval: true });
    const { json } = await bear(parent, { require_plan_approval: false });
    const { rows } = await api.ctx.db.pool.query(
      "select options ->> 'require_plan_approval' as needed from sessions where id = $1",
      [json['id']],
    );
    expect(rows).toEqual([{ needed: 'true' }]);
  });

  test("has its parent's settings by default, and half of the remaining budget", async () => {
    const parent = await running({
      mode: 'plan',
      budget: { max_tokens: 1_001, max_cost_usd: 2, max_turns: 3, max_minutes: 7 },
    });
    const { json } = await bear(parent);
    expect(json).toMatchObject({
      mode: 'plan',
      budget: { max_tokens: 500, max_cost_usd: 1, max_turns: 3, max_minutes: 7 },
    });
    const next = await bear(parent);
    expect(next.json['budget']).toMatchObject({ max_tokens: 250, max_cost_usd: 0.5 });
    expect((await bear(await running())).json['budget']).toEqual({});
  });

  test("a part of the budget that was given to it is its parent's no more, also with concurrent requests", async () => {
    const parent = await running({ budget: { max_tokens: 1_000 } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => bear(parent, { budget: { max_tokens: 300 } })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 402]));
    const price = { input: 0, output: 0 };
    const call = await reserveCall(api.ctx, parent.run, { inputTokens: 10, maxOutputTokens: 5_000, price });
    expect(call).toMatchObject({ outcome: 'reserved', maxOutputTokens: 90 });
  });

  test('is at most three below the first, and one of at most 64', async () => {
    let parent = await running();
    const first = parent;
    for (let depth = 1; depth <= 3; depth += 1) {
      const id = await child(parent);
      const run = await start(api, id);
      parent = { id, path: `${sessions}/${id}`, run, key: (await issueSessionKey(api.ctx, run)).key };
    }
    expect(refusalOf(await bear(parent))).toEqual([409, 'conflict']);
    for (let count = 3; count < 62; count += 1) await child(first);
    const last = await Promise.all(Array.from({ length: 8 }, () => bear(first)));
    expect(last.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(new Set(last.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });
});
