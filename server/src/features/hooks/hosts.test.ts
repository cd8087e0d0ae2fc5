import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectableHost } from '../../../test/hosts/connectable.ts';
import { deliveringHosts, signingSecret, type News } from '../../../test/hosts/deliveries.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';
import { startAutomationEvents } from '../automations/event-service.ts';
import { startAutomationHosts } from '../automations/host-service.ts';
import { processDelivery } from './process-service.ts';

const org = '/v3/organizations/default';
const within = { timeout: 60_000, interval: 250 };
const sha = (digit: string): string => digit.repeat(40);

let api: TestApi;
let ada: GitUser;
beforeAll(async () => {
  [api, ada] = await Promise.all([startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' }), createGitUser()]);
  startAutomationHosts(api.ctx);
  startAutomationEvents(api.ctx);
});
afterAll(async () => {
  await api.close();
  await ada.close();
});

const secretOf = (host: ConnectableHost, connectionId: string): Promise<string> =>
  signingSecret(host, async () => {
    const rotate = `${org}/git-connections/${connectionId}/rotate-webhook-secret`;
    return String((await api.call('POST', rotate, { body: {} })).json['webhook_secret']);
  });

for (const { name, open, write, problem } of deliveringHosts)
  describe.skipIf(problem !== '')(`deliveries of ${name}${problem === '' ? '' : ` (optional: ${problem})`}`, () => {
    let host: ConnectableHost;
    let connectionId = '';
    let repositoryId = '';
    let secret = '';
    let path = '';
    beforeAll(async () => {
      host = await open(ada, { 'a.txt': 'one\n' });
      const { provider, url, token, repo } = host;
      const made = await api.call('POST', `${org}/git-connections`, { body: { provider, host: url, token } });
      expect(made.status, made.text).toBe(201);
      connectionId = String(made.json['id']);
      ({ pathname: path } = new URL(String(made.json['webhook_url'])));
      secret = await secretOf(host, connectionId);
      const body = { provider, repo, connection_id: connectionId };
      repositoryId = String((await api.call('POST', `${org}/repositories`, { body })).json['id']);
    }, 240_000);
    afterAll(() => host.close());

    const deliver = async (news: News, id: string, key = secret): Promise<Answer> => {
      const { raw, headers } = write(news, id, key);
      return api.call('POST', path, { key: '', raw, headers });
    };

    async function rows(): Promise<{ id: string; state: string }[]> {
      const found = await api.ctx.db.pool.query<{ id: string; state: string }>(
        'select id, state from deliveries where connection_id = $1 order by id',
        [connectionId],
      );
      return found.rows;
    }
    const unread = async (): Promise<string[]> =>
      (await rows()).filter(({ state }) => state === 'received').map(({ id }) => id);

    /** Reads what was stored, as another process does, the newest first. */
    async function read(): Promise<void> {
      for (const id of (await unread()).toReversed()) await processDelivery(api.ctx, id);
    }

    /** Waits until what was published has its place, and the automations heard it. */
    async function heard(): Promise<void> {
      const waits = async (): Promise<number | null> =>
        (
          await api.ctx.db.pool.query(
            `select from outbox_pending union all
             select from outbox_cursors where name = 'automations.hosts'
               and position < (select coalesce(max(position), 0) from outbox_events)`,
          )
        ).rowCount;
      await expect.poll(waits, within).toBe(0);
    }

    async function pushes(): Promise<unknown[]> {
      await heard();
      const found = await api.ctx.db.pool.query<{ head: string }>(
        `select data ->> 'head_sha' as head from outbox_events
         where type = 'delivery.received' and resource_id = $1 and data ->> 'type' = 'push' order by seq`,
        [repositoryId],
      );
      return found.rows.map(({ head }) => head);
    }

    test('one that comes again is stored and read once, before and after it was read', async () => {
      const news = { before: sha('a'), after: sha('b') };
      const first = await Promise.all(Array.from({ length: 8 }, () => deliver(news, 'one')));
      expect(first.map(({ status }) => status)).toEqual(first.map(() => 202));
      expect(first.filter(({ json }) => json['duplicate'] === false)).toHaveLength(1);
      const [id = ''] = await unread();
      await Promise.all([processDelivery(api.ctx, id), processDelivery(api.ctx, id)]);
      expect((await deliver(news, 'one')).json).toMatchObject({ duplicate: true });
      await read();
      expect([await pushes(), (await rows()).map(({ state }) => state)]).toEqual([[sha('b')], ['processed']]);
    });

    test('a forged one does not take the place of the one whose id it has', async () => {
      const count = (await rows()).length;
      const news = { before: sha('b'), after: sha('c') };
      expect((await deliver(news, 'two', 'guessed')).status).toBe(401);
      expect((await rows()).length).toBe(count);
      expect((await deliver(news, 'two')).json).toMatchObject({ duplicate: false });
      await read();
      expect((await pushes()).at(-1)).toBe(sha('c'));
    });

    test('a crash before, while or after it is read loses and repeats nothing', async () => {
      const count = (await pushes()).length;
      await deliver({ before: sha('c'), after: sha('d') }, 'three');
      const [id = ''] = await unread();
      await api.ctx.db.pool.query(
        `create function crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$;
         create trigger crash before insert on outbox_pending execute function crash()`,
      );
      await expect(processDelivery(api.ctx, id)).rejects.toThrow('crash');
      await api.ctx.db.pool.query('drop trigger crash on outbox_pending; drop function crash');
      expect([await unread(), (await pushes()).length]).toEqual([[id], count]);
      await processDelivery(api.ctx, id);
      // The job was not ended.
      await processDelivery(api.ctx, id);
      expect([await unread(), (await pushes()).slice(count)]).toEqual([[], [sha('d')]]);
    });

    test('what is unread when its connection is deleted is left, without its body', async () => {
      const made = await api.call('POST', `${org}/git-connections`, {
        body: { provider: host.provider, host: host.url, token: host.token },
      });
      const id = String(made.json['id']);
      const { raw, headers } = write({ before: sha('e'), after: sha('f') }, 'gone', await secretOf(host, id));
      const { pathname } = new URL(String(made.json['webhook_url']));
      expect((await api.call('POST', pathname, { key: '', raw, headers })).status).toBe(202);
      expect((await api.call('DELETE', `${org}/git-connections/${id}`)).status).toBe(204);
      const { rows: found } = await api.ctx.db.pool.query('select id from deliveries where connection_id = $1', [id]);
      await processDelivery(api.ctx, String(found[0]?.id));
      const { rows: left } = await api.ctx.db.pool.query(
        'select state, problem from deliveries where connection_id = $1',
        [id],
      );
      expect(left).toEqual([{ state: 'failed', problem: 'The git connection or the App was deleted.' }]);
      for await (const { key } of api.ctx.blobs.list('deliveries/')) expect(key).not.toContain(String(found[0]?.id));
    });

    test('in any order and any number, they start one run for each state of a change request', async () => {
      const body = {
        name,
        executor: 'external',
        concurrency: 'parallel',
        triggers: [{ type: 'change_request' }],
        action: { prompt_template: 'Look.' },
      };
      const automation = String((await api.call('POST', `${org}/automations`, { body })).json['id']);
      const runs = async (): Promise<unknown[]> => {
        const found = await api.ctx.db.pool.query<{ payload: Record<string, unknown> }>(
          `select payload from automation_runs where automation_id = $1 and payload ->> 'provider' = $2 order by id`,
          [automation, host.provider],
        );
        return found.rows.map(({ payload }) => [payload['number'], payload['action']]);
      };
      /** Waits until every look that deliveries asked for is over; returns the runs. */
      const settled = async (): Promise<unknown[]> => {
        await heard();
        const looks = async (): Promise<number | null> =>
          (
            await api.ctx.db.pool.query(
              "select from pgboss.job where name in ('automation_host', 'automation_event') and state in ('created', 'retry', 'active')",
            )
          ).rowCount;
        await expect.poll(looks, within).toBe(0);
        return runs();
      };
      const number = await host.propose('topic', { 'b.txt': 'b\n' });
      const opened = { number, isNew: true };
      const changed = { number, isNew: false };
      await deliver(changed, 'late');
      await read();
      await deliver(opened, 'first');
      await read();
      expect(await settled()).toEqual([[number, 'opened']]);
      const { rows: places } = await api.ctx.db.pool.query<{ org_id: string }>(
        'select org_id from repositories where id = $1',
        [repositoryId],
      );
      const ref = { orgId: places[0]?.org_id ?? '', connectionId, id: repositoryId, repo: host.repo };
      await api.ctx.sourceControl.of(host.provider).closeChangeRequest(ref, number);
      for (const [id, news] of [
        ['closed', changed],
        ['first', opened],
        ['again', opened],
        ['late', changed],
      ] as const)
        await deliver(news, id);
      await read();
      const all = [
        [number, 'opened'],
        [number, 'closed'],
      ];
      expect(await settled()).toEqual(all);
      await deliver(opened, 'very late');
      await read();
      expect(await settled()).toEqual(all);
      await api.call('PATCH', `${org}/automations/${automation}`, { body: { enabled: false } });
    }, 120_000);
  });
