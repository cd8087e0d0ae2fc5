import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { sessionIn, start, states } from '../../../../test/support/session-states.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { append, finish, type Run, type RunEnd } from '../run/run-service.ts';

let api: TestApi;
let orgId: string;
let me: string;
beforeAll(async () => {
  api = await startTestApi();
  const self = await api.call('GET', '/v3/self');
  me = String(self.json['principal_id']);
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(() => api.close());

const sessions = '/v3/organizations/default/sessions';

async function read(path: string, key = api.adminKey): Promise<Record<string, unknown>> {
  const { status, json } = await api.call('GET', path, { key });
  expect([path, status]).toEqual([path, 200]);
  return json;
}

async function listed(query: string, key = api.adminKey): Promise<Record<string, unknown>[]> {
  const { items } = await read(`${sessions}?${query}`, key);
  return Array.isArray(items) ? items : [];
}

async function ids(query: string): Promise<unknown[]> {
  return (await listed(query)).map(({ id }) => id);
}

function ending(run: Run, end: Pick<RunEnd, 'status' | 'status_detail'> & Partial<RunEnd>) {
  return finish(api.ctx, run, { sandbox_state: 'none', sandboxSeconds: 1, ...end });
}

async function running(body: object): Promise<{ id: string; path: string; run: Run }> {
  const { id, path } = await sessionIn(api, 'queued', body);
  return { id, path, run: await start(api, id) };
}

function called(title: string): NewEvent {
  return { kind: 'tool_call', phase: 'implement', data: { call_id: title, name: 'read', title, input: {} } };
}

describe('attention', () => {
  test('says what each session needs, is a filter, and ends with the status and the archive', async () => {
    const tag = 'attention';
    const at: Record<string, string> = {};
    for (const state of states) at[state] = (await sessionIn(api, state, { tags: [tag] })).id;
    const plan = await running({ tags: [tag] });
    await ending(plan.run, { status: 'waiting', status_detail: 'awaiting_approval', plan: 'Do it.' });
    const budget = await running({ tags: [tag] });
    await ending(budget.run, { status: 'suspended', status_detail: 'budget_reached' });
    const idle = await running({ tags: [tag] });
    await ending(idle.run, { status: 'waiting', status_detail: 'awaiting_user' });
    await api.ctx.db.pool.query(
      `update sessions set status = 'suspended', status_detail = 'inactivity' where id = $1`,
      [idle.id],
    );
    const needs = async (id: string) => (await read(`${sessions}/${id}`))['attention'];
    const found = Object.fromEntries(
      await Promise.all(states.map(async (state) => [state, await needs(at[state] ?? '')])),
    );
    expect(found).toEqual({
      queued: '',
      provisioning: '',
      running: '',
      waiting: 'answer',
      suspended: '',
      completed: '',
      failed: 'failed',
      'failed with a checkpoint': 'failed',
      canceled: '',
    });
    expect([await needs(plan.id), await needs(budget.id), await needs(idle.id)]).toEqual([
      'approval',
      'budget',
      'answer',
    ]);
    expect(await ids(`tag=${tag}&attention=approval`)).toEqual([plan.id]);
    expect(await ids(`tag=${tag}&attention=budget,approval`)).toEqual([budget.id, plan.id]);
    expect(await ids(`tag=${tag}&attention=answer`)).toEqual([idle.id, at['waiting']]);
    expect(await ids(`tag=${tag}&attention=failed`)).toEqual([at['failed with a checkpoint'], at['failed']]);
    await api.call('POST', `${sessions}/${at['failed']}/archive`);
    expect(await needs(at['failed'] ?? '')).toBe('');
    expect(await ids(`tag=${tag}&attention=failed&archived=any`)).toEqual([at['failed with a checkpoint']]);
    await api.call('POST', `${plan.path}/messages`, { body: { content: 'Wait.' } });
    expect(await needs(plan.id)).toBe('');
  });
});

describe('activity', () => {
  test('is the last thing that a session did, from the events of its log', async () => {
    const { path, run, id } = await running({});
    const created = (await read(path))['created_at'];
    expect((await read(path))['activity']).toEqual({ text: '', at: created });
    const command = { call_id: '', phase: 'verify', exit_code: null, duration_ms: null, artifact_id: null } as const;
    const events: [NewEvent[], string][] = [
      [[called('Read a.ts'), called('Read\n  b.ts ')], 'Read b.ts'],
      [[{ kind: 'warning', data: { code: 'x', message: 'Nothing new.' } }], 'Read b.ts'],
      [[{ kind: 'command', phase: 'verify', data: { ...command, command_id: '1', command: 'npm test' } }], 'npm test'],
      // A tool's own command, and the end of one.
      [[{ kind: 'command', data: { ...command, call_id: 'c', command_id: '2', command: 'ls' } }], 'npm test'],
      [[{ kind: 'command', data: { ...command, command_id: '1', command: 'make', exit_code: 0 } }], 'npm test'],
      [[called('')], 'read'],
      [[called('x'.repeat(10_000))], `${'x'.repeat(199)}…`],
      [[called('😀'.repeat(200))], `${'😀'.repeat(99)}…`],
    ];
    let before = String(created);
    for (const [given, text] of events) {
      await append(api.ctx, run, given);
      const { activity } = await read(path);
      expect(activity).toEqual({ text, at: expect.stringMatching(/Z$/) });
      expect(Object(activity).at >= before).toBe(true);
      before = Object(activity).at;
    }
    expect((await listed('created_by=me')).find((item) => item['id'] === id)).toMatchObject({
      activity: { at: before },
    });
  });
});

describe('the list', () => {
  test('me is the caller, alone or among others', async () => {
    const key = await api.keyWith(['run', 'sessions:read']);
    const other = String((await read('/v3/self', key))['principal_id']);
    const post = async (by: string) =>
      String((await api.call('POST', sessions, { key: by, body: { prompt: 'x', tags: ['mine'] } })).json['id']);
    const [one, two] = [await post(api.adminKey), await post(key)];
    expect(await ids('tag=mine&created_by=me')).toEqual([one]);
    expect((await listed('tag=mine&created_by=me', key)).map(({ id }) => id)).toEqual([two]);
    expect(await ids(`tag=mine&created_by=me,${other}`)).toEqual([two, one]);
    expect(await ids(`id=${one},${two},ses_unknown`)).toEqual([two, one]);
    expect(await ids(`id=${one}&created_by=${other}`)).toEqual([]);
  });

  test('by the last change: pages neither skip nor repeat one, and a change moves one to the top', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.push((await sessionIn(api, 'queued', { tags: ['moved'] })).id);
    const [first = '', second = ''] = made;
    const query = 'tag=moved&sort=updated_at';
    expect(await ids(query)).toEqual(made.toReversed());
    const before = String((await read(`${sessions}/${made[4]}`))['updated_at']);
    await api.call('PATCH', `${sessions}/${first}`, { body: { title: 'Changed' } });
    await api.call('POST', `${sessions}/${second}/cancel`);
    const sorted = [second, first, ...made.slice(2).toReversed()];
    expect(await ids(query)).toEqual(sorted);
    expect(await ids(`${query}&updated_after=${before}`)).toEqual(expect.arrayContaining([second, first]));
    const last = Date.parse(String((await read(`${sessions}/${second}`))['updated_at']));
    expect(await ids(`tag=moved&updated_after=${new Date(last + 1).toISOString()}`)).toEqual([]);
    await api.call('POST', `${sessions}/${second}/archive`);
    expect(await ids(`${query}&archived=any`)).toEqual(sorted);
    expect(await ids(`${query}&archived=true`)).toEqual([second]);
    await api.call('POST', `${sessions}/${second}/unarchive`);
    // In one microsecond too.
    await api.ctx.db.pool.query('update sessions set updated_at = now() where id = any ($1)', [made]);
    const paged: unknown[] = [];
    for (let after = ''; ;) {
      const { items, end_cursor, has_next_page } = await read(`${sessions}?${query}&first=2&after=${after}`);
      paged.push(...Object(items).map(({ id }: { id: string }) => id));
      if (has_next_page !== true) break;
      after = String(end_cursor);
    }
    expect(paged).toEqual(made.toSorted().toReversed());
    const { end_cursor } = await read(`${sessions}?${query}&first=2`);
    const crossed = await api.call('GET', `${sessions}?tag=moved&first=2&after=${String(end_cursor)}`);
    expect([crossed.status, crossed.json['error']]).toEqual([400, 'invalid_cursor']);
    // The fingerprint is no secret.
    const [print] = JSON.parse(Buffer.from(String(end_cursor), 'base64url').toString());
    for (const position of ['ses_x', '99999999999999999_ses_x', '9999999999999999_ses_x', '0_ses_x']) {
      const forged = Buffer.from(JSON.stringify([print, position])).toString('base64url');
      const { status } = await api.call('GET', `${sessions}?${query}&first=2&after=${forged}`);
      expect([position, status]).toEqual([position, /^\d{1,16}_/.test(position) ? 200 : 400]);
    }
  });

  test("a worker's events move a session up within a second", async () => {
    const { id, run } = await running({ tags: ['busy'] });
    const later = await sessionIn(api, 'queued', { tags: ['busy'] });
    expect(await ids('tag=busy&sort=updated_at')).toEqual([later.id, id]);
    await expect
      .poll(
        async () => {
          await append(api.ctx, run, [called('Work')]);
          return ids('tag=busy&sort=updated_at');
        },
        { timeout: 10_000 },
      )
      .toEqual([id, later.id]);
  });

  test('by verification', async () => {
    const { id, run } = await running({ tags: ['checked'] });
    await sessionIn(api, 'completed', { tags: ['checked'] });
    await ending(run, { status: 'completed', status_detail: 'finished', verification: 'fixed' });
    expect(await ids('tag=checked&verification=fixed,failed')).toEqual([id]);
    expect(await ids('tag=checked&verification=no_check')).toEqual([]);
  });

  test('a summary leaves out the large fields, and only these', async () => {
    const output = { type: 'object' };
    const { id, run } = await running({
      prompt: 'A long prompt',
      tags: ['light'],
      metadata: { a: 'b' },
      structured_output_schema: output,
    });
    const phases = [
      {
        name: 'reproduce',
        status: 'failed',
        started_at: null,
        working_since: null,
        ended_at: null,
        summary: 'It fails.',
        evidence: [
          { kind: 'note', command: '', exit_code: null, duration_ms: null, output_tail: 'x', artifact_id: null },
        ],
      },
    ] as const;
    await api.ctx.db.pool.query(`update sessions set phases = $2, structured_output = '{"a": 1}' where id = $1`, [
      id,
      JSON.stringify(phases),
    ]);
    await append(api.ctx, run, [called('Work')]);
    for (const query of ['', 'tag=light', 'tag=light&sort=updated_at']) {
      const [[full], [light]] = [await listed(`${query}&first=1`), await listed(`${query}&view=summary&first=1`)];
      expect(full).toMatchObject({ id, prompt: 'A long prompt', structured_output: { a: 1 } });
      const empty = { prompt: '', metadata: {}, structured_output: null };
      expect(light).toEqual({ ...full, ...empty, phases: phases.map((phase) => ({ ...phase, evidence: [] })) });
    }
  });

  test.each(['attention=none', 'verification=maybe', 'verification=', 'sort=title', 'view=tiny', 'updated_after=now'])(
    '%s is 400',
    async (query) => {
      const { status, json } = await api.call('GET', `${sessions}?${query}`);
      expect([status, json['error']]).toEqual([400, 'invalid_request']);
    },
  );
});

describe('the counts', () => {
  test('say how the sessions stand that the filters select; each stands one way', async () => {
    const tag = 'counted';
    for (const state of states) await sessionIn(api, state, { tags: [tag] });
    const plan = await running({ tags: [tag] });
    await ending(plan.run, { status: 'waiting', status_detail: 'awaiting_approval', plan: 'Do it.' });
    const budget = await running({ tags: [tag] });
    await ending(budget.run, { status: 'suspended', status_detail: 'budget_reached' });
    const standing = { needs_you: 3, working: 2, queued: 1, suspended: 1, done: 2, failed: 2 };
    expect(await read(`${sessions}/counts?tag=${tag}`)).toEqual({ ...standing, unread: 7 });
    expect(await read(`${sessions}/counts?tag=${tag}&attention=approval,failed`)).toMatchObject({
      needs_you: 1,
      working: 0,
      done: 0,
      failed: 2,
    });
    const key = await api.keyWith(['sessions:read']);
    expect(await read(`${sessions}/counts?tag=${tag}`, key)).toEqual({ ...standing, unread: 0 });
    expect(await read(`${sessions}/counts?tag=${tag}&created_by=me`, key)).toEqual({
      needs_you: 0,
      working: 0,
      queued: 0,
      suspended: 0,
      done: 0,
      failed: 0,
      unread: 0,
    });
    const total = Object(await read(`${sessions}?tag=${tag}`)).total;
    expect(Object.values(standing).reduce((sum, count) => sum + count, 0)).toBe(total);
  });

  test('take the filters of the list, and nothing else', async () => {
    const { status, json } = await api.call('GET', `${sessions}/counts?sort=created_at`);
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });
});

describe('what is unread', () => {
  async function member(): Promise<{ id: string; key: string }> {
    const id = await join(api, orgId, 'member');
    return { id, key: await personalKey(api, orgId, id) };
  }
  const unread = async (path: string, key = api.adminKey) => (await read(path, key))['unread'];
  const mark = (path: string, seq: number, key = api.adminKey) =>
    api.call('PUT', `${path}/read`, { key, body: { seq } });

  test('is a session that stopped since its creator read it, until they read that', async () => {
    const ada = await member();
    const { path, run } = await running({});
    expect([await unread(path), await unread(path, ada.key)]).toEqual([false, false]);
    await ending(run, { status: 'waiting', status_detail: 'awaiting_user' });
    expect([await unread(path), await unread(path, ada.key)]).toEqual([true, false]);
    const { last_seq: seq } = await read(path);
    const half = await mark(path, Number(seq) - 1);
    expect([half.status, half.json]).toEqual([200, { seq: Number(seq) - 1, unread: true }]);
    expect((await mark(path, Number(seq))).json).toEqual({ seq, unread: false });
    expect((await mark(path, 1)).json).toEqual({ seq, unread: false });
    expect((await mark(path, 1_000_000)).json).toEqual({ seq, unread: false });
    expect(await unread(path)).toBe(false);
  });

  test('concerns others once they have read it, and nobody their own stop', async () => {
    const [ada, bob] = [await member(), await member()];
    const { path } = await sessionIn(api, 'queued', {});
    expect((await mark(path, 1, ada.key)).json).toMatchObject({ seq: 1, unread: false });
    expect((await api.call('POST', `${path}/cancel`)).status).toBe(200);
    expect([await unread(path), await unread(path, ada.key), await unread(path, bob.key)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await read(`${sessions}/counts`, ada.key)).toMatchObject({ unread: 1 });
    expect(await read(`${sessions}/counts?created_by=me`, ada.key)).toMatchObject({ unread: 0 });
    expect(await read(`${sessions}/counts?created_by=${me}`, ada.key)).toMatchObject({ unread: 1 });
    expect((await listed('first=1', ada.key))[0]).toMatchObject({ unread: true });
  });

  test('is not counted for who left, and never stops a session', async () => {
    const ada = await member();
    const { json } = await api.call('POST', sessions, { key: ada.key, body: { prompt: 'x' } });
    const path = `${sessions}/${String(json['id'])}`;
    expect((await mark(path, 1, ada.key)).status).toBe(200);
    expect((await api.call('DELETE', `/v3/organizations/default/members/${ada.id}`)).status).toBe(204);
    expect((await api.call('POST', `${path}/cancel`)).status).toBe(200);
    const { rows } = await api.ctx.db.pool.query('select from session_reads where user_id = $1', [ada.id]);
    expect(rows).toEqual([]);
  });

  test('readers and a stop at once end in one order', async () => {
    const people = [await member(), await member(), await member()];
    for (let round = 0; round < 10; round += 1) {
      const { path, run } = await running({});
      const all = await Promise.all([
        ending(run, { status: 'completed', status_detail: 'finished' }),
        ...people.flatMap(({ key }) => [mark(path, 1, key), mark(path, 2, key)]),
        mark(path, 1),
      ]);
      expect(all.slice(1).map((one) => Object(one).status)).toEqual(Array.from({ length: 7 }, () => 200));
      expect(await unread(path)).toBe(true);
    }
  });

  test('another principal than a user, and a session that does not exist, are refused', async () => {
    const key = await api.keyWith(['run', 'sessions:read']);
    const { path } = await sessionIn(api, 'queued');
    const refused = [await mark(path, 1, key), await mark(`${sessions}/ses_none`, 1), await mark(path, -1)];
    expect(refused.map(({ status, json }) => [status, json['error']])).toEqual([
      [403, 'forbidden'],
      [404, 'session_not_found'],
      [400, 'invalid_request'],
    ]);
  });
});

describe('lists of one tag or repository', () => {
  test('follow each change of tags, the archive and deletions, page by page, with their totals', async () => {
    const repository = { provider: 'local', repo: 'acme/labeled' };
    expect((await api.call('POST', '/v3/organizations/default/repositories', { body: repository })).status).toBe(201);
    const made: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      const repositories = [{ repo: 'acme/labeled' }];
      made.unshift((await sessionIn(api, 'completed', { tags: ['la', 'la:b'], repositories })).id);
    }
    const [e = '', d = '', c = '', b = '', a = ''] = made;
    const pages = async (query: string): Promise<unknown[]> => {
      const first = await read(`${sessions}?first=2&${query}`);
      const second = await read(`${sessions}?first=50&after=${String(first['end_cursor'])}&${query}`);
      const found = [first, second].flatMap(({ items }) => (Array.isArray(items) ? items : []));
      expect([first['total'], second['total']]).toEqual([found.length, found.length]);
      return found.map(({ id }) => id);
    };
    for (const query of ['tag=la', 'tag=la:b', 'repo=Acme/Labeled', 'repo=local:acme/labeled'])
      expect([query, await pages(query)]).toEqual([query, made]);
    await api.call('PATCH', `${sessions}/${c}`, { body: { tags: ['lc'] } });
    expect(await pages('tag=la')).toEqual([e, d, b, a]);
    expect(await ids('tag=lc')).toEqual([c]);
    await api.call('POST', `${sessions}/${d}/archive`);
    expect(await pages('tag=la')).toEqual([e, b, a]);
    expect(await pages('repo=acme/labeled')).toEqual([e, c, b, a]);
    expect(await ids('tag=la&archived=true')).toEqual([d]);
    await api.call('POST', `${sessions}/${d}/unarchive`);
    expect(await pages('tag=la')).toEqual([e, d, b, a]);
    await api.ctx.db.pool.query('delete from sessions where id = $1', [b]);
    expect(await pages('tag=la')).toEqual([e, d, a]);
    const { rows } = await api.ctx.db.pool.query('select from session_labels where session_id = $1', [b]);
    expect(rows).toEqual([]);
  });
});
