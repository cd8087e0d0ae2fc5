import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { madeIn } from '../../../test/support/fixture.ts';
import { stock, type Inventory } from '../../../test/support/inventory.ts';
import { sweep } from '../../runtime/sweep.ts';
import { linkAll } from '../audit-logs/chain.ts';
import { restorableMs } from './deletion-service.ts';
import { purgeOrganizations } from './purge-service.ts';

let api: TestApi;
let kept: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  const other = await api.createOrganization('Kept');
  kept = await stock(api, other.slug, other.key);
});
afterAll(() => api.close());

let gone: Inventory;
let slug: string;
beforeEach(async () => {
  const organization = await api.createOrganization('Gone');
  ({ slug } = organization);
  gone = await stock(api, slug, organization.key);
  // The session and its child.
  const { rows } = await api.ctx.db.pool.query<{ id: string }>('select id from sessions where org_id = $1', [
    gone.orgId,
  ]);
  for (const { id } of rows) {
    const answer = await api.call('POST', `/v3/organizations/${slug}/sessions/${id}/cancel`, { key: gone.key });
    expect(answer.status).toBe(200);
  }
  await linkAll(api.ctx);
});

async function remove(): Promise<void> {
  const answer = await api.call('DELETE', `/v3/organizations/${slug}?confirm=${slug}`, { key: gone.key });
  expect([answer.status, answer.json['error']]).toEqual([202, undefined]);
}

function purge(afterMs: number, change: Partial<TestApi['ctx']> = {}): Promise<void> {
  const at = Date.now() + afterMs;
  return purgeOrganizations({ ...api.ctx, ...change, clock: { now: () => new Date(at) } });
}

/** Counts the rows that name an organization, by table, in any column. */
async function rowsOf(orgId: string): Promise<Record<string, number>> {
  const { pool } = api.ctx.db;
  const tables = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(tables.rows.length).toBeGreaterThan(30);
  const found: Record<string, number> = {};
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from "${name}" t where to_jsonb(t)::text like $1`,
      [`%${orgId}%`],
    );
    if ((rows[0]?.n ?? 0) > 0) found[name] = rows[0]?.n ?? 0;
  }
  return found;
}

async function blobsOf(orgId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.ctx.blobs.list('')) if (key.includes(orgId)) keys.push(key);
  return keys;
}

function repositoriesOf(orgId: string): boolean {
  return existsSync(join(api.ctx.config.repositories, orgId));
}

describe('30 days after its deletion', () => {
  test('nothing is left of an organization: no row, no blob, no repository; another one is as it was', async () => {
    // A table without a foreign key, as a later version might add by mistake.
    const loose = 'create table loose_rows (org_id text not null, note text not null)';
    await api.ctx.db.pool.query(
      `${loose}; insert into loose_rows values ('${gone.orgId}', 'x'), ('${kept.orgId}', 'y')`,
    );
    const others = [await rowsOf(kept.orgId), await blobsOf(kept.orgId), repositoriesOf(kept.orgId)];
    const before = await rowsOf(gone.orgId);
    for (const table of ['sessions', 'session_events', 'audit_entries', 'audit_chain', 'api_keys', 'loose_rows'])
      expect(Object.keys(before)).toContain(table);
    expect((await blobsOf(gone.orgId)).length).toBeGreaterThan(0);
    expect(repositoriesOf(gone.orgId)).toBe(true);

    const repositories = `/v3/organizations/${slug}/repositories`;
    const body = { provider: 'local', repo: 'acme/deleted-before' };
    const repository = (await api.call('POST', repositories, { key: gone.key, body })).json;
    await api.call('DELETE', `${repositories}/${String(repository['id'])}`, { key: gone.key });
    await remove();
    await purge(restorableMs - 60_000);
    expect((await api.call('GET', `/v3/organizations/${slug}/sessions`, { key: gone.key })).json['total']).toBe(2);
    await purge(restorableMs + 60_000);
    expect(await rowsOf(gone.orgId)).toEqual({});
    expect([await blobsOf(gone.orgId), repositoriesOf(gone.orgId)]).toEqual([[], false]);
    expect([await rowsOf(kept.orgId), await blobsOf(kept.orgId), repositoriesOf(kept.orgId)]).toEqual(others);
    expect((await api.call('GET', '/v3/self', { key: gone.key })).status).toBe(401);
    const verified = await api.call('GET', `/v3/organizations/${kept.orgId}/audit-logs/verify`, { key: kept.key });
    expect(verified.json).toMatchObject({ valid: true });
    // Its slug is available again.
    expect((await api.call('POST', '/v3/organizations', { body: { name: 'Again', slug } })).status).toBe(201);
    await api.ctx.db.pool.query('drop table loose_rows');
  });

  test('people who belong to no other organization are gone, others stay', async () => {
    const admin = (await api.call('GET', '/v3/self')).json['principal_id'];
    await remove();
    await purge(restorableMs + 60_000);
    const { rows } = await api.ctx.db.pool.query<{ id: string }>('select id from users where id = any($1)', [
      [madeIn(gone, 'members/{userId}'), madeIn(kept, 'members/{userId}'), admin],
    ]);
    expect(rows.map(({ id }) => id).toSorted()).toEqual([madeIn(kept, 'members/{userId}'), String(admin)].toSorted());
  });

  test('the next purge finishes one that broke off anywhere, and another one does nothing', async () => {
    await remove();
    const broken = new Error('the disk went away');
    await purge(restorableMs + 60_000, {
      gitHost: { ...api.ctx.gitHost, removeAll: () => Promise.reject(broken) },
    });
    expect(Object.keys(await rowsOf(gone.orgId))).toContain('sessions');
    // Simulates a crash after the audit log was deleted.
    await purge(restorableMs + 60_000, {
      db: {
        ...api.ctx.db,
        transaction: async (run) => {
          const result = await api.ctx.db.transaction(run);
          const { rows } = await api.ctx.db.pool.query('select from audit_entries where org_id = $1', [gone.orgId]);
          if (rows.length === 0) throw broken;
          return result;
        },
      },
    });
    expect(Object.keys(await rowsOf(gone.orgId))).toContain('organizations');
    await purge(restorableMs + 60_000);
    expect(await rowsOf(gone.orgId)).toEqual({});
    await purge(restorableMs + 60_000);
    expect(await rowsOf(gone.orgId)).toEqual({});
  });

  // Both happen when a consumer of domain events is at work for the organization.
  test.each([
    [
      'a row that was added after those of its table were deleted',
      `insert into measurements (id, org_id, metric, session_id, amount, created_at, principal_type, principal_id, origin, repository,
         automation_id, tags, group_ids)
       values ('late/' || $1, $1, 'session.created', 'ses_x', 0, now(), 'user', 'usr_x', 'api', '', '', '{}', '{}')`,
      'select $1::text',
    ],
    [
      'a transaction that locks rows in another order',
      'update outbox_heads set seq = seq + 1 where org_id = $1',
      `insert into outbox_events (org_id, seq, type, resource_type, resource_id, actor_type, actor_id, data, created_at)
       select org_id, seq, 'x', 'x', 'x', 'x', 'x', '{}', now() from outbox_heads where org_id = $1`,
    ],
  ])('a purge that meets %s starts again at once', async (_, first, second) => {
    await remove();
    const { pool } = api.ctx.db;
    // What orders its events would wait for the writer, and the purge for that.
    await expect
      .poll(async () => (await pool.query('select 1 from outbox_pending where org_id = $1', [gone.orgId])).rowCount)
      .toBe(0);
    const writer = await pool.connect();
    try {
      await writer.query('begin');
      // The purge may take longer than this on a busy machine.
      await writer.query('set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0');
      await writer.query(first, [gone.orgId]);
      const purged = purge(restorableMs + 60_000);
      // Within the second after which the purge, and not the writer, detects a deadlock, also on a busy machine.
      await writer.query(`
        do $$ begin
          loop
            perform pg_stat_clear_snapshot();
            exit when exists (select from pg_stat_activity where datname = current_database()
              and wait_event_type = 'Lock' and query like 'delete from "organizations"%');
            perform pg_sleep(0.01);
          end loop;
        end $$;
        ${second.replaceAll('$1', `'${gone.orgId}'`)};
        commit`);
      await purged;
    } finally {
      // Closes the connection: a failed test may have left it in a transaction.
      writer.release(true);
    }
    expect(await rowsOf(gone.orgId)).toEqual({});
  });

  test('the next round removes audit entries that were written during a purge', async () => {
    await remove();
    await purge(restorableMs + 60_000);
    await api.ctx.db.pool.query(
      `insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id,
         outcome, ip, user_agent, request_id) values ('aud_late', $1, 'x', 'user', '', '', 'x', '', 'denied', '', '', '')`,
      [gone.orgId],
    );
    await linkAll(api.ctx);
    await purge(0);
    expect(await rowsOf(gone.orgId)).toEqual({});
  });
});

test('a restored organization is not purged', async () => {
  await remove();
  expect((await api.call('POST', `/v3/organizations/${slug}/restore`, { key: gone.key, body: {} })).status).toBe(200);
  await purge(restorableMs * 2);
  expect((await api.call('GET', `/v3/organizations/${slug}/sessions`, { key: gone.key })).json['total']).toBe(2);
});

test('a worker removes the mirrors and layers of organizations that are gone, and no others', async () => {
  const mirrorsDirectory = join(api.ctx.config.data, 'mirrors');
  const workDirectory = join(api.ctx.config.data, 'work');
  for (const id of ['org_gone', kept.orgId]) {
    await mkdir(join(mirrorsDirectory, id, 'gc_1', 'repo_1.git'), { recursive: true });
    await writeFile(join(mirrorsDirectory, id, 'gc_1', 'repo_1.git', 'HEAD'), 'x');
    await mkdir(join(workDirectory, 'layers', id, 'a'.repeat(32), 'home'), { recursive: true });
  }
  const { db, log } = api.ctx;
  const sandbox = { sweep: async () => 0 };
  await sweep({ db, log, mirrorsDirectory, workDirectory, sandbox });
  for (const directory of [mirrorsDirectory, join(workDirectory, 'layers')])
    expect(await readdir(directory)).toEqual([kept.orgId]);
});

describe('the database lets only the purge of a deleted organization remove entries', () => {
  async function asPurge(statement: string, prepare: string): Promise<void> {
    const client = await api.ctx.db.pool.connect();
    try {
      await client.query('begin');
      await client.query(prepare);
      await client.query(statement);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
  const role = 'set local role guildhall_purge';

  test('its role removes none of an organization that exists, and changes none', async () => {
    await expect(asPurge('delete from audit_entries', role)).rejects.toThrow('append-only');
    await expect(asPurge('delete from audit_chain', role)).rejects.toThrow('append-only');
    await expect(asPurge(`update audit_entries set action = 'x'`, role)).rejects.toThrow('permission denied');
    await expect(asPurge('delete from sessions', role)).rejects.toThrow('permission denied');
  });

  test('the setting that takes the role’s place counts only where there is no such role', async () => {
    await remove();
    const statement = `delete from audit_entries where org_id = '${gone.orgId}'`;
    const setting = `select set_config('guildhall.purge', '${gone.orgId}', true)`;
    await expect(asPurge(statement, setting)).rejects.toThrow('append-only');
    await expect(asPurge(statement, role)).resolves.toBeUndefined();
    await api.ctx.db.pool.query('revoke select, delete on audit_entries from guildhall_purge');
    try {
      await expect(asPurge(statement, setting)).resolves.toBeUndefined();
      const others = `delete from audit_entries where org_id = '${kept.orgId}'`;
      await expect(asPurge(others, setting)).rejects.toThrow('append-only');
      await purge(restorableMs + 60_000);
      expect(await rowsOf(gone.orgId)).toEqual({});
    } finally {
      await api.ctx.db.pool.query('grant select, delete on audit_entries to guildhall_purge');
    }
  });
});
