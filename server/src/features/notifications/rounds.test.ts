import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { start } from '../../../test/support/session-states.ts';
import { rowsRead } from '../../../test/support/rows-read.ts';
import { openDatabase } from '../../db/pool.ts';
import { newId } from '../../lib/ids.ts';
import { readActorOrganization } from '../automations/actor.ts';
import { sendFromHost } from '../sessions/api/follow-service.ts';
import { finish } from '../sessions/run/run-service.ts';
import { readRounds } from './store.ts';

const org = '/v3/organizations/default';
const within = { timeout: 20_000, interval: 50 };

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', org)).json['id']);
});
afterAll(() => api.close());

type End = 'completed' | 'failed' | 'waiting';

/** A member who chose some kinds, with a session of theirs. */
async function startedBy(email: readonly string[]) {
  const person = await join(api, orgId, 'member');
  const key = await personalKey(api, orgId, person);
  expect(
    (await api.call('PUT', '/v3/self/preferences/notifications', { key, body: { value: { email } } })).status,
  ).toBe(200);
  const id = String((await api.call('POST', `${org}/sessions`, { key, body: { prompt: 'x' } })).json['id']);
  let turns = 0;
  const turn = async (status: End): Promise<void> => {
    const run = await start(api, id, (turns += 1));
    const detail = { completed: 'finished', failed: 'agent_error', waiting: 'awaiting_user' } as const;
    await finish(api.ctx, run, {
      status,
      status_detail: detail[status],
      sandbox_state: 'none',
      sandboxSeconds: 1,
      ...(status === 'failed' ? { error: { code: 'agent_error', message: 'It fell over.' } } : {}),
    });
  };
  return {
    turn,
    /** A round of following: a git host says something, and the session works on it. */
    async round(status: End, headSha = 'a'.repeat(40)): Promise<void> {
      const organization = await readActorOrganization(api.ctx.db.kysely, orgId);
      if (organization === undefined) throw new Error('There is no organization.');
      await api.ctx.db.transaction((trx) =>
        sendFromHost(api.ctx, trx, organization, id, {
          id: newId('msg', Date.now()),
          content: 'Checks fail.',
          source: { kind: 'ci', url: '', head_sha: headSha },
          writer: { type: 'provider', id: 'local:checks', name: 'checks' },
          quoted: [],
        }),
      );
      await turn(status);
    },
    async message(status: End): Promise<void> {
      await api.call('POST', `${org}/sessions/${id}/messages`, { key, body: { content: 'More.' } });
      await turn(status);
    },
    /** Returns the kinds that this person is told, once all that happened before was noted; and forgets them. */
    async told(): Promise<string[]> {
      const fence = await api.call('POST', `${org}/sessions`, { key, body: { prompt: 'fence' } });
      const fenceId = String(fence.json['id']);
      const run = await start(api, fenceId);
      await finish(api.ctx, run, {
        status: 'suspended',
        status_detail: 'budget_reached',
        sandbox_state: 'none',
        sandboxSeconds: 1,
      });
      const read = async () => {
        const { rows } = await api.ctx.db.pool.query<{ kind: string; resource_id: string }>(
          'select kind, resource_id from notifications where target = $1 order by id',
          [person],
        );
        return rows;
      };
      await expect.poll(async () => (await read()).map(({ resource_id }) => resource_id), within).toContain(fenceId);
      const kinds = (await read()).filter(({ resource_id }) => resource_id === id).map(({ kind }) => kind);
      await api.ctx.db.pool.query('delete from notifications where target = $1', [person]);
      return kinds;
    },
  };
}

const all = ['session.needs_you', 'session.finished', 'session.failed', 'change_request.needs_you'];

test('the end of a session is told, and that of a turn of its owner, but not that of a round of following', async () => {
  const session = await startedBy(all);
  await session.turn('completed');
  expect(await session.told()).toEqual(['session.finished']);
  await session.round('completed');
  expect(await session.told()).toEqual([]);
  await session.message('completed');
  expect(await session.told()).toEqual(['session.finished']);
});

test('a round that fails or waits is told about its change request, and else to who wants only the session', async () => {
  for (const end of ['waiting', 'failed'] as const) {
    const session = await startedBy(all);
    await session.turn('completed');
    await session.told();
    await session.round(end);
    expect(await session.told()).toEqual([]);
  }

  const other = await startedBy(['session.needs_you', 'session.failed']);
  await other.turn('completed');
  await other.round('failed');
  expect(await other.told()).toEqual(['session.failed']);
});

test('a mention that continues a session is a task of its own', async () => {
  const session = await startedBy(all);
  await session.turn('completed');
  await session.told();
  await session.round('completed', '');
  expect(await session.told()).toEqual(['session.finished']);
});

test('a long session is read once after its turn, not once for each of its messages', async () => {
  const { id } = (await api.call('POST', `${org}/sessions`, { body: { prompt: 'x' } })).json;
  const messages = 400;
  await api.ctx.db.pool.query(
    `insert into session_messages (id, org_id, session_id, role, content, delivery, state, round, source, created_by_type, created_by_id)
     select 'msg_' || n, $1, $2, 'user', 'More.', 'steer', 'delivered', n, jsonb_build_object('head_sha', repeat('a', 40)), 'user', ''
     from generate_series(1, $3::int) n`,
    [orgId, id, messages],
  );
  const { connectionString } = api;
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'single' });
  let found: string[] = [];
  const read = await rowsRead(single, 'session_messages', async () => {
    found = await readRounds(single.kysely, [String(id)]);
  });
  await single.close();
  expect(found).toEqual([id]);
  expect(read).toBeLessThan(3 * messages);
});
