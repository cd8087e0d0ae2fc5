import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectableHost } from './hosts/connectable.ts';
import { deliveringHosts, signingSecret } from './hosts/deliveries.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { lockTable } from './support/failures.ts';
import { createGitUser, type GitUser } from './support/git.ts';
import { startServerProcess, type Json, type ServerProcess } from './support/server.ts';

const org = '/v3/organizations/default';
const within = { timeout: 60_000, interval: 100 };
const egress = { GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' };
/** Names the advisory lock at which a process waits to be killed. */
const lockKey = 4_711;

let api: TestApi;
let ada: GitUser;
let server: ServerProcess;
let count = 0;
beforeAll(async () => {
  [api, ada] = await Promise.all([startTestApi(egress), createGitUser()]);
});
afterAll(async () => {
  await api.close();
  await ada.close();
});
beforeEach(async () => {
  server = await start();
});
afterEach(() => kill());

/** Starts another process of the installation. */
function start(): Promise<ServerProcess> {
  const env = { DATABASE_URL: api.connectionString, GUILDHALL_RATE_LIMIT: '0', ...egress };
  return startServerProcess(api.ctx.config.data, ['--role', 'api'], env);
}

async function kill(): Promise<void> {
  server.process.kill('SIGKILL');
  await server.exited;
}

async function query(text: string, ...values: string[]): Promise<Json[]> {
  return (await api.ctx.db.pool.query<Json>(text, values)).rows;
}

/** Lets processes wait where they change a row so that a condition holds, until they are killed. */
async function waitAt(table: string, condition: string) {
  const client = new Client({ connectionString: api.connectionString });
  await client.connect();
  await client.query('select pg_advisory_lock($1)', [lockKey]);
  await query(
    `create function wait_here() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock(${lockKey}); return new; end $$`,
  );
  await query(
    `create trigger wait_here before update on ${table} for each row when (${condition}) execute function wait_here()`,
  );
  const waiting = "from pg_locks where locktype = 'advisory' and not granted and objid = $1::int";
  return {
    reached: async () => (await query(`select pid ${waiting}`, String(lockKey))).length > 0,
    /** Kills the process, and its connections as the kernel of another machine would. */
    async kill(): Promise<void> {
      await kill();
      await query(`select pg_terminate_backend(pid) ${waiting}`, String(lockKey));
      await client.end();
      await query(`drop trigger wait_here on ${table}`);
      await query('drop function wait_here');
    },
  };
}

for (const { name, open, write, problem } of deliveringHosts)
  describe.skipIf(problem !== '')(
    `a delivery of ${name} to a process that is killed${problem === '' ? '' : ` (optional: ${problem})`}`,
    () => {
      let host: ConnectableHost;
      let secret = '';
      let path = '';
      beforeAll(async () => {
        host = await open(ada, { 'a.txt': 'one\n' });
        const { provider, url, token, repo } = host;
        const made = await api.call('POST', `${org}/git-connections`, { body: { provider, host: url, token } });
        const connection = `${org}/git-connections/${String(made.json['id'])}`;
        ({ pathname: path } = new URL(String(made.json['webhook_url'])));
        secret = await signingSecret(host, async () =>
          String((await api.call('POST', `${connection}/rotate-webhook-secret`, { body: {} })).json['webhook_secret']),
        );
        const body = { provider, repo, connection_id: made.json['id'] };
        expect((await api.call('POST', `${org}/repositories`, { body })).status).toBe(201);
      }, 240_000);
      afterAll(() => host.close());

      /** Writes a delivery about a push. Returns how to send it, and what was made of it. */
      function news() {
        const id = `delivery-${(count += 1)}`;
        const after = count.toString(16).padStart(40, 'a');
        const { raw, headers } = write({ before: 'b'.repeat(40), after }, id, secret);
        return {
          /** Returns the answer; undefined for none. */
          async send(): Promise<{ status: number; duplicate: unknown } | undefined> {
            const sent = { ...headers, 'content-type': 'application/json' };
            const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: sent, body: raw }).catch(
              () => undefined,
            );
            if (answer === undefined) return undefined;
            return { status: answer.status, duplicate: Object(await answer.json()).duplicate };
          },
          published: async (): Promise<number> =>
            (
              await query(
                "select seq from outbox_events where type = 'delivery.received' and data ->> 'head_sha' = $1",
                after,
              )
            ).length,
        };
      }

      /** Waits until the next process has read all that was stored. */
      async function isRead(): Promise<void> {
        // The dead process's heartbeat, which would end after 10 s.
        await query("update pgboss.job set heartbeat_on = heartbeat_on - interval '10 s' where state = 'active'");
        server = await start();
        const left = async () =>
          query(
            `select 'delivery' as what from deliveries where state = 'received'
             union all select name from pgboss.job where name = 'delivery' and state in ('created', 'retry', 'active')
             union all select 'event' from outbox_pending`,
          );
        await expect.poll(left, within).toEqual([]);
      }

      test('before it is stored is not acknowledged, and read once when it comes again', async () => {
        const { send, published } = news();
        const lock = await lockTable(api.connectionString, 'deliveries');
        const answer = send();
        const waits = () => query("select pid from pg_locks where relation = 'deliveries'::regclass and not granted");
        await expect.poll(async () => (await waits()).length, within).toBeGreaterThan(0);
        await kill();
        expect(await answer).toBeUndefined();
        await lock.release();
        server = await start();
        expect(await send()).toEqual({ status: 202, duplicate: false });
        await kill();
        await isRead();
        expect(await published()).toBe(1);
      }, 120_000);

      const moments = [
        { when: 'while it is read', table: 'deliveries', condition: "new.state = 'processed'", before: 0 },
        {
          when: 'after it was read',
          table: 'pgboss.job',
          condition: "new.name = 'delivery' and new.state = 'completed'",
          before: 1,
        },
      ];
      for (const { when, table, condition, before } of moments)
        test(`${when} is read once, also when it comes again`, async () => {
          const { send, published } = news();
          const point = await waitAt(table, condition);
          expect(await send()).toEqual({ status: 202, duplicate: false });
          await expect.poll(point.reached, within).toBe(true);
          await point.kill();
          await expect.poll(published, within).toBe(before);
          await isRead();
          expect(await published()).toBe(1);
          expect(await send()).toEqual({ status: 202, duplicate: true });
          expect(await published()).toBe(1);
        }, 120_000);
    },
  );
