import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { sessionIn } from '../../../test/support/session-states.ts';

const [streams, sessions, atOnce] = [200, 40, 4];
/** Every tenth stream has a key that may not read sessions. */
const blindEvery = 10;

let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.another();
});
afterAll(async () => {
  await other.close();
  await api.close();
});

interface Follower {
  isBlind: boolean;
  ids: number[];
  isConnected: boolean;
  leave(): void;
}

async function follow(at: TestApi, key: string, isBlind: boolean): Promise<Follower> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${at.url}/v3/organizations/default/events/stream`, { headers, agent: false }, resolve);
  request.once('error', reject);
  const response = await promise;
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const follower: Follower = { isBlind, ids: [], isConnected: false, leave: () => void request.destroy() };
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) follower.isConnected = true;
      else follower.ids.push(Number(/^id: (\d+)/.exec(block)?.[1]));
    }
  });
  return follower;
}

test(
  '200 streams follow 40 sessions: none misses an event, and none gets one that it may not see',
  { timeout: 300_000 },
  async () => {
    const blind = await api.keyWith(['org:read']);
    const followers: Follower[] = [];
    while (followers.length < streams) {
      const some = Array.from({ length: 50 }, (_, at) => {
        const isBlind = at % blindEvery === 0;
        return follow(at % 2 === 0 ? api : other, isBlind ? blind : api.adminKey, isBlind);
      });
      followers.push(...(await Promise.all(some)));
    }
    await expect.poll(() => followers.every(({ isConnected }) => isConnected), { timeout: 60_000 }).toBe(true);
    const { rows: heads } = await api.ctx.db.pool.query<{ seq: number }>(
      `select h.seq from outbox_heads h join organizations o on o.id = h.org_id where o.slug = 'default'`,
    );
    const from = heads[0]?.seq ?? 0;
    let left = sessions;
    const work = async (): Promise<void> => {
      while (left-- > 0) await sessionIn(api, 'completed');
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const group = await api.call('POST', '/v3/organizations/default/groups', { body: { name: 'last' } });
    expect(group.status).toBe(201);
    const published = async () => {
      const { rows } = await api.ctx.db.pool.query<{ seq: number; type: string }>(
        `select e.seq, e.type from outbox_events e join organizations o on o.id = e.org_id
         where o.slug = 'default' and e.seq > $1 order by e.seq`,
        [from],
      );
      return rows;
    };
    await expect.poll(async () => (await published()).at(-1)?.type, { timeout: 60_000 }).toBe('group.created');
    const events = await published();
    expect(events.length).toBeGreaterThan(sessions * 4);
    const ids = events.map(({ seq }) => seq);
    const seenByBlind = events.filter(({ type }) => type.startsWith('group.')).map(({ seq }) => seq);
    await expect
      .poll(() => followers.every((one) => one.ids.at(-1) === ids.at(-1)), { timeout: 120_000, interval: 500 })
      .toBe(true);
    const wrong = followers.filter(
      (one) => String(one.ids.filter((id) => id > from)) !== String(one.isBlind ? seenByBlind : ids),
    );
    expect(wrong.length).toBe(0);
    for (const { leave } of followers) leave();
  },
);
