import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { append, type ClaimedRun } from '../run/run-service.ts';

const [sessions, streamsOfSession] = [10, 20];
const reads = new Set(['events_after', 'stream_state']);

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Reader {
  text: string;
  leave(): void;
}

async function open(path: string): Promise<Reader> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${api.adminKey}` };
  const request = get(`${api.url}${path}/events/stream`, { headers, agent: false }, resolve);
  request.once('error', reject);
  const response = await promise;
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const reader: Reader = { text: '', leave: () => void request.destroy() };
  response.setEncoding('utf8').on('data', (chunk: string) => (reader.text += chunk));
  return reader;
}

/** Counts the reads of streams from now on. */
function countReads(): () => number {
  const { pool } = api.ctx.db;
  const { query } = pool;
  let count = 0;
  const counted = (...given: unknown[]): unknown => {
    if (reads.has(String(Object(given[0]).name))) count += 1;
    return Reflect.apply(query, pool, given);
  };
  Reflect.set(pool, 'query', counted);
  return () => {
    Reflect.set(pool, 'query', query);
    return count;
  };
}

test('many streams read nothing in silence and for small events, and those of a session read large ones together', async () => {
  const runs: ClaimedRun[] = [];
  const readers: Reader[][] = [];
  for (let count = 0; count < sessions; count += 1) {
    const { path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    runs.push(run);
    readers.push(await Promise.all(Array.from({ length: streamsOfSession }, () => open(path))));
  }
  const each = readers.flat();
  await expect.poll(() => each.every(({ text }) => text.includes('"running"'))).toBe(true);
  const heartbeats = (): number => Math.min(...each.map(({ text }) => text.split(': heartbeat').length - 1));
  await expect.poll(heartbeats, { timeout: 60_000 }).toBe(1);
  const inSilence = countReads();
  await expect.poll(heartbeats, { timeout: 60_000 }).toBe(2);
  expect(inSilence()).toBe(0);

  const readsFor = async (text: string): Promise<number> => {
    const count = countReads();
    for (const run of runs) {
      const data = { command_id: 'c', call_id: '', stream: 'stdout', text: `${text} of ${run.id}.` } as const;
      await append(api.ctx, run, [{ kind: 'output', data }]);
    }
    const got = (): boolean =>
      readers.every((own, at) => own.every((reader) => reader.text.includes(`${text} of ${runs[at]?.id ?? ''}.`)));
    await expect.poll(got).toBe(true);
    return count();
  };
  expect(await readsFor('small')).toBe(0);
  // One read, and at most one more for streams that wrote meanwhile.
  const forLarge = await readsFor('large'.repeat(2_000));
  expect([forLarge >= sessions, forLarge <= 2 * sessions]).toEqual([true, true]);
  for (const { leave } of each) leave();
});
