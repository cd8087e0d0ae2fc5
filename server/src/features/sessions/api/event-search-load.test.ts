import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { countEvents, readEvents } from '../store/event-query-store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Adds events with output to a session, as a hostile command writes them; the last one ends differently. */
async function fill(id: string, events: number, lines: number): Promise<void> {
  const { pool } = api.ctx.db;
  await pool.query(
    `insert into session_events (session_id, seq, id, org_id, kind, data)
     select s.id, s.last_seq + n, 'evt_' || n, s.org_id, 'output', json_build_object('command_id', 'c', 'call_id', '',
       'stream', 'stdout', 'text', repeat(md5(n::text), $3) || case when n = $2 then ' Needle' else '' end)
     from sessions s, generate_series(1, $2::int) n where s.id = $1`,
    [id, events, lines],
  );
  await pool.query('update sessions set last_seq = last_seq + $2 where id = $1', [id, events]);
}

/** Searches until the end; returns the responses. */
async function search(path: string, query: string): Promise<{ ms: number; json: Record<string, unknown> }[]> {
  const answers: { ms: number; json: Record<string, unknown> }[] = [];
  for (let after = '', isMore = true; isMore;) {
    const started = process.hrtime.bigint();
    const { json } = await api.call('GET', `${path}/events?search=needle&after=${after}${query}`);
    answers.push({ ms: Number(process.hrtime.bigint() - started) / 1e6, json });
    expect(json['has_next_page']).toBe(Object(json['scan']).complete === false);
    [after, isMore] = [String(json['end_cursor']), json['has_next_page'] === true];
  }
  return answers;
}

test.each(['', '&before_seq=1000000'])(
  'a search that takes too long stops, and goes on from there (%j)',
  async (query) => {
    const { id, path } = await sessionIn(api, 'waiting');
    const { json } = await api.call('GET', path);
    await fill(id, 1_000, 1);
    const last = Number(json['last_seq']) + 1_000;
    let now = performance.now();
    const slow = vi.spyOn(performance, 'now').mockImplementation(() => (now += 500));
    const answers = await search(path, query).finally(() => slow.mockRestore());
    const scans = answers.map(({ json: { items, scan, total } }) => ({
      found: [items].flat().length,
      total,
      ...Object(scan),
    }));
    const ends = Array.from({ length: Math.ceil(last / 200) }, (_, index) =>
      query === '' ? Math.min(last, (index + 1) * 200) : Math.max(1, last + 1 - (index + 1) * 200),
    );
    const foundIn = query === '' ? ends.length - 1 : 0;
    expect(scans).toEqual(
      ends.map((seq, index) => {
        const found = index === foundIn ? 1 : 0;
        return { found, total: found, complete: index === ends.length - 1, seq };
      }),
    );
  },
);

test('a search in much output holds up nobody', { timeout: 120_000 }, async () => {
  const { id, path } = await sessionIn(api, 'waiting');
  await fill(id, 5_000, 500);
  const before = performance.eventLoopUtilization();
  const answers = await search(path, '');
  // The database reads; this process waits.
  const { utilization } = performance.eventLoopUtilization(before);
  expect(answers.at(-1)?.json['total']).toBe(1);
  for (const { ms } of answers) expect(ms).toBeLessThan(5_000);
  expect(utilization).toBeLessThan(0.5);
});

test('rare kinds are found, and counted, without reading the others', async () => {
  const { id, path } = await sessionIn(api, 'waiting');
  await fill(id, 20_000, 1);
  const { pool } = api.ctx.db;
  await pool.query('analyze session_events');
  const { json } = await api.call('GET', `${path}/events?kind=status,message&before_seq=1000000`);
  const found = [json['items']].flat().length;
  expect(found).toBeGreaterThan(3);
  expect(json).toMatchObject({ total: found, has_next_page: false });
  const { rows: sessions } = await pool.query<{ org_id: string }>('select org_id from sessions where id = $1', [id]);
  const range = {
    orgId: sessions[0]?.org_id ?? '',
    sessionId: id,
    after: 0,
    before: 1_000_000,
    kinds: ['status', 'message'],
  };
  const read = vi.spyOn(pool, 'query');
  expect(await readEvents(api.ctx.db, range, { order: 'desc', limit: 51 })).toHaveLength(found);
  expect(await countEvents(api.ctx.db, range)).toBe(found);
  // The process has queries of its own.
  const statements = read.mock.calls
    .map(([statement]) => Object(statement))
    .filter(({ name }) => ['events_kinds_desc', 'events_count'].includes(name));
  read.mockRestore();
  expect(statements).toHaveLength(2);
  for (const { text, values } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    const [{ Plan: plan }] = Object(rows[0])['QUERY PLAN'];
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(60);
  }
});
