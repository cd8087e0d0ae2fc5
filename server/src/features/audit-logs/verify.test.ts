import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, afterEach, describe, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { linkAll } from './chain.ts';

const logFile = path.join(mkdtempSync(path.join(tmpdir(), 'guildhall-log-')), 'log');
const api: TestApi = await startTestApi({ GUILDHALL_LOG_LEVEL: 'info' }, openSync(logFile, 'a'));
afterAll(() => api.close());

let organization: { id: string; slug: string; key: string };
let ids: string[];
beforeEach(async () => {
  organization = await api.createOrganization('Tampered');
  const { slug, key } = organization;
  for (let n = 0; n < 6; n += 1)
    await api.call('POST', `/v3/organizations/${slug}/service-users`, { key, body: { name: `n${n}` } });
  await linkAll(api.ctx);
  const { rows } = await api.ctx.db.pool.query<{ entry_id: string }>(
    'select entry_id from audit_chain where org_id = $1 order by seq',
    [organization.id],
  );
  ids = rows.map((row) => row.entry_id);
});
afterEach(async () => {
  expect(await verify('default', api.adminKey)).toMatchObject({ valid: true });
});

async function verify(slug = organization.slug, key = organization.key) {
  return (await api.call('GET', `/v3/organizations/${slug}/audit-logs/verify`, { key })).json;
}

/** Runs a statement as an attacker who may disable the database's own protection. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  const client = await api.ctx.db.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const { rowCount } = await client.query(statement, values);
    expect(rowCount).toBeGreaterThan(0);
    await client.query('commit');
  } finally {
    client.release();
  }
}

test('an untouched chain holds', async () => {
  expect(await verify()).toEqual({ valid: true, checked: 7, pending: 0, first_break: null });
});

describe('a changed field is found, whichever it is', () => {
  test.each([
    ['action', `'x'`],
    ['actor_type', `'system'`],
    ['actor_id', `'x'`],
    ['actor_display', `'x'`],
    ['resource_type', `'x'`],
    ['resource_id', `'x'`],
    ['outcome', `'denied'`],
    ['ip', `'x'`],
    ['user_agent', `'x'`],
    ['request_id', `'x'`],
    ['changes', `'{"name":"x"}'`],
    ['created_at', `created_at + interval '1 millisecond'`],
  ])('%s', async (column, value) => {
    await tamper(`update audit_entries set ${column} = ${value} where id = $1`, [ids[3]]);
    expect(await verify()).toEqual({
      valid: false,
      checked: 3,
      pending: 0,
      first_break: { seq: 4, id: ids[3], reason: 'hash_mismatch' },
    });
  });

  test('its organization', async () => {
    await tamper(`update audit_entries set org_id = 'org_other' where id = $1`, [ids[3]]);
    expect((await verify())['first_break']).toEqual({ seq: 4, id: ids[3], reason: 'entry_missing' });
  });
});

describe('what is taken away is found', () => {
  test('an entry', async () => {
    await tamper('delete from audit_entries where id = $1', [ids[2]]);
    expect((await verify())['first_break']).toEqual({ seq: 3, id: ids[2], reason: 'entry_missing' });
  });

  test('a link', async () => {
    await tamper('delete from audit_chain where entry_id = $1', [ids[2]]);
    expect((await verify())['first_break']).toEqual({ seq: 3, id: '', reason: 'link_missing' });
  });

  test('an entry with its link, the last one too', async () => {
    for (const [at, checked] of [
      [6, 6],
      [1, 1],
    ] as const) {
      await tamper('delete from audit_chain where entry_id = $1', [ids[at]]);
      await tamper('delete from audit_entries where id = $1', [ids[at]]);
      expect(await verify()).toMatchObject({ checked, first_break: { seq: at + 1, id: '', reason: 'link_missing' } });
    }
  });

  test('an entry that waits for its link, as one that is not linked', async () => {
    await tamper(
      `insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id,
         outcome, ip, user_agent, request_id)
       values ($1, $2, 'x', 'user', '', '', 'x', '', 'success', '', '', '')`,
      [`aud_${organization.slug}`, organization.id],
    );
    expect(await verify()).toMatchObject({
      checked: 7,
      first_break: { seq: 0, id: `aud_${organization.slug}`, reason: 'entry_not_linked' },
    });
  });
});

describe('a chain that was made anew is found', () => {
  test('exchanged links', async () => {
    await tamper(
      `update audit_chain set entry_id = case seq when 3 then 'aud_free' else $2 end where org_id = $1 and seq in (3, 4)`,
      [organization.id, ids[2]],
    );
    await tamper('update audit_chain set entry_id = $2 where org_id = $1 and seq = 3', [organization.id, ids[3]]);
    expect((await verify())['first_break']).toEqual({ seq: 3, id: ids[3], reason: 'hash_mismatch' });
  });

  test.each([`'\\x'`, `'\\xabcd'`, `(select hash from audit_chain where org_id = $1 and seq = 1)`])(
    'a link that names %s as the one before',
    async (value) => {
      await tamper(`update audit_chain set prev_hash = ${value} where org_id = $1 and seq = 5`, [organization.id]);
      expect((await verify())['first_break']).toEqual({ seq: 5, id: ids[4], reason: 'hash_mismatch' });
    },
  );

  test('a changed entry whose link, the last one, was written anew', async () => {
    await tamper(`update audit_entries set ip = '203.0.113.9' where id = $1`, [ids[6]]);
    const { pool } = api.ctx.db;
    const { rows } = await pool.query<{ hash: string }>(
      `select encode(sha256('forged'), 'hex') as hash from audit_chain where org_id = $1 limit 1`,
      [organization.id],
    );
    await tamper(`update audit_chain set hash = decode($2, 'hex') where org_id = $1 and seq = 7`, [
      organization.id,
      rows[0]?.hash,
    ]);
    expect(await verify()).toMatchObject({
      valid: false,
      first_break: { seq: 7, id: ids[6], reason: 'hash_mismatch' },
    });
  });

  test('numbers moved down over a gap', async () => {
    await tamper('delete from audit_chain where org_id = $1 and seq = 3', [organization.id]);
    await tamper('update audit_chain set seq = seq - 1 where org_id = $1 and seq > 3', [organization.id]);
    expect((await verify())['first_break']).toEqual({ seq: 3, id: ids[3], reason: 'hash_mismatch' });
  });

  test('a head that was put back, or links behind it', async () => {
    await tamper('update audit_heads set seq = 6 where org_id = $1', [organization.id]);
    expect((await verify())['first_break']).toEqual({ seq: 6, id: '', reason: 'head_mismatch' });
  });
});

describe('the database refuses', () => {
  test.each([
    ['audit_entries', `action = 'x'`],
    ['audit_chain', 'hash = prev_hash'],
    ['audit_heads', 'seq = seq - 1'],
  ])('to change, remove or empty %s', async (table, change) => {
    const { pool } = api.ctx.db;
    await expect(pool.query(`update ${table} set ${change}`)).rejects.toThrow('append-only');
    await expect(pool.query(`delete from ${table}`)).rejects.toThrow('append-only');
    await expect(pool.query(`truncate ${table}`)).rejects.toThrow('append-only');
  });
});

test('the log is a witness of each chain: the first head that moves in an hour stands in it', async () => {
  const other = await api.createOrganization('Witnessed');
  const said = await vi.waitFor(() => {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('linked the audit log') && text.includes(other.id));
    if (line === undefined) throw new Error('not yet');
    return JSON.parse(line);
  }, 10_000);
  const { json } = await api.call('GET', `/v3/organizations/${other.slug}/audit-logs?order=asc`, { key: other.key });
  expect(json['items']).toEqual(expect.arrayContaining([expect.objectContaining({ seq: said.seq, hash: said.hash })]));
});
