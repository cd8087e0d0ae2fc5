import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { retentionNow } from '../../../../test/support/retention.ts';
import { sessionIn, start, states } from '../../../../test/support/session-states.ts';
import { finish } from './run-service.ts';

const path = '/v3/organizations/default';
const day = 24 * 3_600_000;
/** The setting of the organization, in days. */
const kept = 30;
const afterMs = (kept + 2) * day;

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', path)).json['id']);
  await keepEvents(kept);
});
afterEach(async () => {
  await query('delete from sessions');
});
afterAll(() => api.close());

async function query<T extends object>(text: string, ...values: unknown[]): Promise<T[]> {
  return (await api.ctx.db.pool.query<T>(text, values)).rows;
}

async function keepEvents(days: number, organization = 'default', key = api.adminKey): Promise<void> {
  const body = { events_days: days };
  const answer = await api.call('PUT', `/v3/organizations/${organization}/settings/retention`, { body, key });
  if (answer.status !== 200) throw new Error(answer.text);
}

async function seqs(id: string): Promise<number[]> {
  const rows = await query<{ seq: number }>('select seq from session_events where session_id = $1 order by seq', id);
  return rows.map(({ seq }) => seq);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Adds events with one statement. */
async function add(id: string, count: number): Promise<void> {
  await query(
    `with bumped as (update sessions set last_seq = last_seq + $2 where id = $1 returning last_seq, org_id, turn)
     insert into session_events (session_id, seq, id, org_id, kind, turn, data)
     select $1, last_seq - $2 + n, 'evt_' || $1 || n, org_id, 'output', turn, '{}' from bumped, generate_series(1, $2) n`,
    id,
    count,
  );
}

async function completed(): Promise<{ id: string; path: string; last: number }> {
  const session = await sessionIn(api, 'completed');
  return { ...session, last: (await seqs(session.id)).length };
}

async function counts(options: Parameters<typeof retentionNow>[2] = {}): Promise<number> {
  return (await retentionNow(api.ctx, 'events', { afterMs, ...options })).get(orgId)?.count ?? 0;
}

describe('events that are older than events_days', () => {
  test('are deleted, with a dry run that says how many; the session goes on with the next number', async () => {
    const { id, path: session, last } = await completed();
    expect(await counts({ afterMs: (kept - 1) * day })).toBe(0);
    const dry = await retentionNow(api.ctx, 'events', { afterMs, isDryRun: true });
    expect(dry.get(orgId)).toEqual({ count: last, bytes: expect.any(Number) });
    expect(await seqs(id)).toEqual(range(1, last));
    expect(await retentionNow(api.ctx, 'events', { afterMs })).toEqual(dry);
    expect(await counts()).toBe(0);
    expect(await seqs(id)).toEqual([]);
    expect((await api.call('GET', session)).json).toMatchObject({ status: 'completed', last_seq: last });
    expect((await api.call('GET', `${session}/events`)).json).toMatchObject({ items: [], total: 0 });
    expect((await api.call('POST', `${session}/messages`, { body: { content: 'More.' } })).status).toBe(202);
    const { json } = await api.call('GET', `${session}/events`);
    expect(json).toMatchObject({ total: 2, items: [{ seq: last + 1 }, { seq: last + 2 }] });
    expect((await api.call('GET', `${session}/events?after_seq=${last}`)).json).toMatchObject({ total: 2 });
  });

  test('are deleted up to the first that is younger', async () => {
    const { id, path: session, last } = await completed();
    await query(`update session_events set created_at = created_at + interval '40 days' where seq > 3 and seq <> 5`);
    expect(await counts({ isDryRun: true })).toBe(3);
    expect(await counts()).toBe(3);
    expect(await seqs(id)).toEqual(range(4, last));
    const { json } = await api.call('GET', `${session}/events?first=2`);
    expect(json).toMatchObject({ total: last - 3, items: [{ seq: 4 }, { seq: 5 }] });
  });

  test('are gone for lists and streams, which say so', async () => {
    const { path: session, last } = await completed();
    const cursor = String((await api.call('GET', `${session}/events?first=1`)).json['end_cursor']);
    await query(`update session_events set created_at = created_at + interval '40 days' where seq > 3`);
    const open = await openStream(api, `${session}/events/stream`);
    await open.reaches(last + 1);
    await counts();
    const refusals = [
      await api.call('GET', `${session}/events?after_seq=0`),
      await api.call('GET', `${session}/events?after_seq=2`),
      await api.call('GET', `${session}/events?first=1&after=${cursor}`),
      await api.call('GET', `${session}/events/stream?after_seq=2`),
      await api.call('GET', `${session}/events/stream`, { headers: { 'last-event-id': '1' } }),
    ];
    for (const { status, json } of refusals)
      expect([status, json]).toEqual([
        410,
        expect.objectContaining({
          error: 'stream_expired',
          message: 'Events before 4 of this session are no longer kept. Start again without a position, or after 3.',
          details: { first_seq: 4 },
        }),
      ]);
    expect((await api.call('GET', `${session}/events?after_seq=3`)).json).toMatchObject({ total: last - 3 });
    for (const options of [{}, { lastEventId: '3' }]) {
      const stream = await openStream(api, `${session}/events/stream`, options);
      const frames = await stream.reaches(last - 3 + 1);
      expect(frames.map(({ id }) => id)).toEqual([undefined, ...range(4, last).map(String)]);
      await stream.leave();
    }
    // A stream that had read them goes on.
    await api.call('POST', `${session}/messages`, { body: { content: 'More.' } });
    expect((await open.reaches(last + 3)).at(-1)?.id).toBe(String(last + 2));
    await open.leave();
  });

  test('end a stream that has not read them yet', async () => {
    const { id, path: session } = await completed();
    await add(id, 2_000);
    // The connection reads nothing, so the server stops sending after a part of the log.
    await query(`update session_events set data = json_build_object('text', repeat('x', 20000)) where kind = 'output'`);
    const response = await fetch(`${api.url}${session}/events/stream`, {
      headers: { authorization: `Bearer ${api.adminKey}` },
    });
    await counts();
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    const ids = Array.from(text.matchAll(/^id: (\d+)$/gm), ([, seq]) => Number(seq));
    expect(ids).toEqual(range(1, ids.length));
    expect(ids.length).toBeLessThan(2_000);
    const last = String(ids.at(-1) ?? 0);
    const again = await api.call('GET', `${session}/events/stream`, { headers: { 'last-event-id': last } });
    expect(again.status).toBe(410);
  });
});

describe('events that are needed', () => {
  test.each(states)('of a session that is %s', async (state) => {
    const { id } = await sessionIn(api, state);
    const all = await seqs(id);
    await counts();
    const isOver = ['completed', 'failed', 'failed with a checkpoint', 'canceled'].includes(state);
    expect(await seqs(id)).toEqual(isOver ? [] : all);
  });

  test('are those of the turn and the one before while a session may continue', async () => {
    const { id, path: session } = await sessionIn(api, 'suspended');
    for (const turn of [2, 3]) {
      await api.call('POST', `${session}/messages`, { body: { content: 'More.' } });
      const next = await start(api, id, turn);
      const end = { status: 'suspended', status_detail: 'user_request', sandbox_state: 'none' } as const;
      await finish(api.ctx, next, { ...end, sandboxSeconds: 1 });
    }
    const [first] = await query<{ seq: number }>(
      'select min(seq) as seq from session_events where session_id = $1 and turn = 2',
      id,
    );
    const all = await seqs(id);
    expect(await counts()).toBe((first?.seq ?? 0) - 1);
    expect(await seqs(id)).toEqual(all.slice((first?.seq ?? 0) - 1));
  });

  test('are those of a session whose change request is open, until it is closed', async () => {
    const { id, last } = await completed();
    const repository = await api.call('POST', `${path}/repositories`, { body: { provider: 'local', repo: 'acme/r' } });
    await query(
      `insert into change_requests (id, org_id, repository_id, number, title, head_ref, head_sha, base_ref, base_sha,
         author_type, author_id, session_id, provider_updated_at)
       values ('chr_x', $1, $2, 1, 'x', 'fix', '', 'main', '', 'session', $3, $3, now())`,
      orgId,
      String(repository.json['id']),
      id,
    );
    expect(await counts()).toBe(0);
    await query(`update change_requests set state = 'merged', updated_at = now() + interval '31 days 12 hours'`);
    expect(await counts()).toBe(0);
    await query('update change_requests set updated_at = now()');
    expect(await counts()).toBe(last);
    await query('delete from change_requests');
  });

  test('are those of a child whose parent works, and of a session that its budget stopped', async () => {
    const parent = await sessionIn(api, 'waiting');
    const child = await completed();
    const stopped = await sessionIn(api, 'failed');
    await query('update sessions set parent_session_id = $2 where id = $1', child.id, parent.id);
    await query(`update sessions set status_detail = 'budget_reached' where id = $1`, stopped.id);
    expect(await counts()).toBe(0);
    await api.call('POST', `${parent.path}/cancel`);
    await query('update sessions set updated_at = created_at');
    await counts();
    expect([await seqs(parent.id), await seqs(child.id)]).toEqual([[], []]);
    expect(await seqs(stopped.id)).not.toEqual([]);
  });

  test('are those of a session that continues at the same moment', async () => {
    const { id, last } = await completed();
    const client = await api.ctx.db.pool.connect();
    try {
      await client.query('begin');
      await client.query(`update sessions set status = 'queued' where id = $1`, [id]);
      const removal = counts();
      await expect
        .poll(async () =>
          query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'`),
        )
        .toHaveLength(1);
      await client.query('commit');
      expect(await removal).toBe(0);
    } finally {
      client.release();
    }
    expect(await seqs(id)).toEqual(range(1, last));
  });
});

test('a removal that is interrupted leaves no gap, and is finished by the next one', async () => {
  const { id, path: session, last } = await completed();
  await add(id, 2_500 - last);
  const stop = new AbortController();
  let batches = 0;
  const db: typeof api.ctx.db = {
    ...api.ctx.db,
    transaction: async (work) =>
      api.ctx.db.transaction(async (trx) => {
        const result = await work(trx);
        if (++batches === 3) throw new Error('killed');
        return result;
      }),
  };
  await expect(retentionNow({ ...api.ctx, db }, 'events', { afterMs, signal: stop.signal })).rejects.toThrow('killed');
  expect(await seqs(id)).toEqual(range(2_001, 2_500));
  expect((await api.call('GET', `${session}/events?first=1`)).json).toMatchObject({
    items: [{ seq: 2_001 }],
    total: 500,
  });
  stop.abort();
  await expect(retentionNow(api.ctx, 'events', { afterMs, signal: stop.signal })).rejects.toThrow();
  expect(await counts()).toBe(500);
});

test('several processes at once delete each event once', async () => {
  const sessions = [];
  for (let n = 0; n < 3; n += 1) sessions.push(await completed());
  for (const { id, last } of sessions) await add(id, 1_500 - last);
  const dry = await counts({ isDryRun: true });
  const removed = await Promise.all([counts(), counts(), counts()]);
  expect([dry, removed.reduce((sum, one) => sum + one, 0)]).toEqual([4_500, 4_500]);
  for (const { id } of sessions) expect(await seqs(id)).toEqual([]);
});

test('another organization is not touched, nor one that is deleted, nor the ledger', async () => {
  const other = await api.createOrganization('Elsewhere');
  const theirs = await api.call('POST', `/v3/organizations/${other.slug}/sessions`, {
    key: other.key,
    body: { prompt: 'x' },
  });
  const id = String(theirs.json['id']);
  await api.call('POST', `/v3/organizations/${other.slug}/sessions/${id}/cancel`, { key: other.key });
  const { last } = await completed();
  const all = await seqs(id);
  const ledgers = async () => {
    const [row] = await query<Record<string, number>>(
      'select (select count(*) from usage_records) u, (select count(*) from measurements) m, (select count(*) from audit_entries) a',
    );
    return Object.values(row ?? {}).map(Number);
  };
  const before = await ledgers();
  expect(await counts()).toBe(last);
  expect(await seqs(id)).toEqual(all);
  // Consumers may add measurements meanwhile.
  const after = await ledgers();
  expect(after).toHaveLength(3);
  expect(after.every((count, at) => count >= (before[at] ?? 0))).toBe(true);
  await keepEvents(1, other.slug, other.key);
  await completed();
  expect([...(await retentionNow(api.ctx, 'events', { afterMs, orgId: other.id, isDryRun: true })).keys()]).toEqual([
    other.id,
  ]);
  await query(`update organizations set state = 'deleting', deleted_at = now() where id = $1`, other.id);
  expect((await retentionNow(api.ctx, 'events', { afterMs })).has(other.id)).toBe(false);
  expect(await seqs(id)).toEqual(all);
});

test('0 keeps all events', async () => {
  await completed();
  await keepEvents(0);
  expect(await counts({ afterMs: 36_500 * day })).toBe(0);
  await keepEvents(kept);
});
