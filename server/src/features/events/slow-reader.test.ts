import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openStream } from '../../../test/support/event-stream.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const path = '/v3/organizations/default/events/stream';
/** More than the buffers of a connection hold. */
const [count, bytes] = [3_000, 8_192];

async function lastSeq(orgId: string): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ seq: number }>('select seq from outbox_heads where org_id = $1', [
    orgId,
  ]);
  return rows[0]?.seq ?? 0;
}

test(
  'a client that reads nothing is disconnected after 30 s, and resumes where it stopped',
  { timeout: 120_000 },
  async () => {
    const orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
    const before = await lastSeq(orgId);
    const opened = Promise.withResolvers<IncomingMessage>();
    const headers = { authorization: `Bearer ${api.adminKey}`, 'last-event-id': String(before) };
    const request = get(`${api.url}${path}`, { headers, agent: false }, opened.resolve);
    request.on('error', opened.reject);
    const response = await opened.promise;
    await api.ctx.db.pool.query(
      `insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id, data)
     select $1, 'group.updated', 'group', 'grp_' || n, 'system', '', jsonb_build_object('filler', repeat('x', $3::int))
     from generate_series(1, $2::int) n`,
      [orgId, count, bytes],
    );
    await expect.poll(() => lastSeq(orgId), { timeout: 30_000 }).toBe(before + count);
    const reading = await openStream(api, path, { lastEventId: String(before) });
    expect(await reading.reaches(count)).toHaveLength(count);
    await reading.leave();
    await delay(33_000);
    let text = '';
    const closed = new Promise((resolve) => void response.once('close', resolve));
    response.on('error', () => undefined);
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await closed;
    // The last frame may have come in part.
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
    const ids = [...whole.matchAll(/^id: (\d+)\nevent: /gm)].map(([, id]) => Number(id));
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(count);
    expect(ids).toEqual(ids.map((_, at) => before + 1 + at));
    const rest = await openStream(api, path, { lastEventId: String(ids.at(-1)) });
    const frames = await rest.reaches(count - ids.length);
    expect(Number(frames[0]?.id)).toBe((ids.at(-1) ?? 0) + 1);
    await rest.leave();
  },
);
