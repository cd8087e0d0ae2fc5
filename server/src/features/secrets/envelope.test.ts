import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { open, seal, SealBroken } from './envelope.ts';
import { describeKeyRing, pruneKeyRing, rewrapKeys, rotateKeyRing } from './key-ring-service.ts';
import { rotateOrganizationKey } from './organization-keys.ts';

let api: TestApi;
let orgId: string;
let otherId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  otherId = (await api.createOrganization('Elsewhere')).id;
});
afterAll(() => api.close());

const value = Buffer.from('canary-of-the-envelope');
const quiet = (): void => undefined;

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  return (await api.ctx.db.pool.query<Record<string, unknown>>(sql)).rows;
}

function refused(attempt: Promise<unknown>) {
  return expect(attempt).rejects.toBeInstanceOf(SealBroken);
}

describe('what is sealed', () => {
  test('opens for the same organization and purpose, in any process', async () => {
    const sealed = await seal(api.ctx, orgId, 'secret sec_a 1', value);
    expect(sealed.includes(value)).toBe(false);
    expect((await open(api.ctx, orgId, 'secret sec_a 1', sealed)).equals(value)).toBe(true);
    const second = await api.another();
    expect((await open(second.ctx, orgId, 'secret sec_a 1', sealed)).equals(value)).toBe(true);
    await second.close();
    const empty = await seal(api.ctx, orgId, 'x', Buffer.alloc(0));
    expect((await open(api.ctx, orgId, 'x', empty)).length).toBe(0);
  });

  test('never looks alike twice', async () => {
    const [one, other] = [await seal(api.ctx, orgId, 'p', value), await seal(api.ctx, orgId, 'p', value)];
    expect(one.equals(other)).toBe(false);
  });

  test('does not open as another secret, another version or of another organization', async () => {
    const sealed = await seal(api.ctx, orgId, 'secret sec_a 1', value);
    await seal(api.ctx, otherId, 'secret sec_a 1', value);
    await refused(open(api.ctx, orgId, 'secret sec_b 1', sealed));
    await refused(open(api.ctx, orgId, 'secret sec_a 2', sealed));
    await refused(open(api.ctx, otherId, 'secret sec_a 1', sealed));
  });

  test('does not open with any bit changed, cut or lengthened', async () => {
    const sealed = await seal(api.ctx, orgId, 'p', value);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
      await expect(open(api.ctx, orgId, 'p', changed)).rejects.toThrow(
        /Cannot decrypt|Version \d+ of the data key of .* does not exist/,
      );
    }
    for (const other of [sealed.subarray(1), sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.of(0)])])
      await refused(open(api.ctx, orgId, 'p', other));
    await refused(open(api.ctx, orgId, 'p', Buffer.alloc(0)));
  });

  test("an organization's first key is created once, also with concurrent requests", async () => {
    const { id } = await api.createOrganization('Fresh');
    const sealed = await Promise.all(Array.from({ length: 8 }, (_, at) => seal(api.ctx, id, `p${at}`, value)));
    for (const [at, one] of sealed.entries()) expect((await open(api.ctx, id, `p${at}`, one)).equals(value)).toBe(true);
    expect(await rows(`select version from organization_keys where org_id = '${id}'`)).toEqual([{ version: 1 }]);
  });

  test('under a key put into the place of another one does not open', async () => {
    const { id } = await api.createOrganization('Swapped');
    await seal(api.ctx, id, 'p', value);
    const sealed = await seal(api.ctx, orgId, 'p', value);
    await api.ctx.db.pool.query(
      `update organization_keys set wrapped = (select wrapped from organization_keys where org_id = $1 and version = 1)
       where org_id = $2`,
      [orgId, id],
    );
    await expect(open(api.ctx, id, 'p', sealed)).rejects.toThrow('cannot decrypt');
    await api.ctx.db.pool.query(`delete from organization_keys where org_id = $1`, [id]);
  });
});

describe('rotation', () => {
  test("an organization's new key seals; the old one still opens", async () => {
    const before = await seal(api.ctx, orgId, 'p', value);
    await rotateOrganizationKey(api.ctx, orgId);
    const after = await seal(api.ctx, orgId, 'p', value);
    expect(after.readUInt32BE(1)).toBe(before.readUInt32BE(1) + 1);
    for (const sealed of [before, after]) expect((await open(api.ctx, orgId, 'p', sealed)).equals(value)).toBe(true);
  });

  test('of the ring puts all keys under the new one while another process goes on; then the old one can go', async () => {
    const running = await api.another();
    const before = await seal(running.ctx, orgId, 'p', value);
    const derived = running.ctx.keyRing.derive('idempotency');
    const retired = await api.ctx.keyRing.current();
    const said: string[] = [];
    await rotateKeyRing(api.ctx, (line) => said.push(line));
    const current = await api.ctx.keyRing.current();
    expect(current).not.toBe(retired);
    expect(said[0]).toContain(current);
    expect(await rows('select distinct ring_key from organization_keys')).toEqual([{ ring_key: current }]);
    expect(await rows('select ring_key from installation_keys')).toEqual([{ ring_key: current }]);
    // The other process notices the rotation by itself: it opens old data and seals with the new key.
    expect((await open(running.ctx, orgId, 'p', before)).equals(value)).toBe(true);
    await pruneKeyRing(api.ctx, quiet);
    expect(await running.ctx.keyRing.ids()).toEqual([current]);
    const third = await api.another();
    for (const { ctx } of [running, third]) {
      const sealed = await seal(ctx, orgId, 'q', value);
      expect((await open(api.ctx, orgId, 'q', sealed)).equals(value)).toBe(true);
      expect((await open(ctx, orgId, 'p', before)).equals(value)).toBe(true);
      expect(ctx.keyRing.derive('idempotency').equals(derived)).toBe(true);
    }
    await third.close();
    await running.close();
  });

  test('a key that still wraps something cannot be pruned, and the next rewrap takes it along', async () => {
    const old = await api.ctx.keyRing.current();
    await api.ctx.keyRing.manage?.rotate();
    await expect(pruneKeyRing(api.ctx, quiet)).rejects.toThrow(`still wrapped by ${old}`);
    expect(await api.ctx.keyRing.ids()).toContain(old);
    const said: string[] = [];
    await describeKeyRing(api.ctx, (line) => said.push(line));
    expect(said.join('\n')).toMatch(new RegExp(`${old}  retired, wraps [1-9]`));
    await rewrapKeys(api.ctx, quiet);
    await pruneKeyRing(api.ctx, quiet);
    expect(await api.ctx.keyRing.ids()).not.toContain(old);
  });

  test('of more keys than a batch holds shows how far it is; one that is broken is named and left alone', async () => {
    const ids = Array.from({ length: 230 }, (_, at) => `org_rotated${String(at).padStart(4, '0')}`);
    await api.ctx.db.pool.query(
      `insert into organizations (id, slug, name) select id, replace(id, '_', '-'), id from unnest($1::text[]) as id`,
      [ids],
    );
    const sealed = await Promise.all(ids.map((id) => seal(api.ctx, id, 'p', value)));
    await api.ctx.db.pool.query(`update organization_keys set wrapped = '\\x00' where org_id = $1`, [ids[7]]);
    const said: string[] = [];
    await expect(rotateKeyRing(api.ctx, (line) => said.push(line))).rejects.toThrow('1 keys were not rewrapped');
    expect(said.some((line) => line.includes(String(ids[7])))).toBe(true);
    expect(said.filter((line) => line.endsWith('…')).length).toBeGreaterThanOrEqual(2);
    await expect(pruneKeyRing(api.ctx, quiet)).rejects.toThrow('(1)');
    expect((await open(api.ctx, String(ids[229]), 'p', sealed[229] ?? Buffer.alloc(0))).equals(value)).toBe(true);
  });
});

test('the ring of another installation does not start a process', async () => {
  const ring = `${api.ctx.config.data}/another-ring`;
  const keys = [{ id: 'k1', secret: randomBytes(32).toString('base64url') }];
  await writeFile(ring, JSON.stringify({ current: 'k1', keys }), { mode: 0o600 });
  const attempt = api.another({ GUILDHALL_KEY_RING: ring });
  await expect(attempt).rejects.toThrow(/does not open this installation.*GUILDHALL_KEY_RING/);
});

test('a start says of a ring that it cannot reach that it may come back', async () => {
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0000';
  const {
    rows: [root],
  } = await api.ctx.db.pool.query(`select ring_key from installation_keys where name = 'root'`);
  const wrapWith = (key: unknown) =>
    api.ctx.db.pool.query(`update installation_keys set ring_key = $1 where name = 'root'`, [key]);
  await wrapWith(arn);
  const before = { ...process.env };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:9',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  try {
    await expect(api.another({ GUILDHALL_KEY_RING: `aws-kms:${arn}` })).rejects.toThrow(
      `The key ring aws-kms:${arn} cannot be used now: AWS KMS failed: ECONNREFUSED. Start again when it can be reached.`,
    );
  } finally {
    process.env = before;
    await wrapWith(root?.ring_key);
  }
});

test('the ring of another installation put in place while processes run seals nothing', async () => {
  const path = api.ctx.config.keyRing;
  const [right, current] = [await readFile(path, 'utf8'), await api.ctx.keyRing.current()];
  const keys = [{ id: current, secret: randomBytes(32).toString('base64url') }];
  await writeFile(path, JSON.stringify({ current, keys }));
  const { id } = await api.createOrganization('Under a foreign ring');
  const sealed = await seal(api.ctx, id, 'p', value);
  await expect(rotateKeyRing(api.ctx, quiet)).rejects.toThrow('does not open this installation');
  await writeFile(path, right);
  const restarted = await api.another();
  expect((await open(restarted.ctx, id, 'p', sealed)).equals(value)).toBe(true);
  await restarted.close();
});

test('a ring in the environment is not passed on to what the server starts', async () => {
  const ring = await readFile(api.ctx.config.keyRing, 'utf8');
  const process = await api.another({ GUILDHALL_KEY_RING: 'env:MY_RING', MY_RING: ring });
  expect(process.ctx.config.environment['MY_RING']).toBeUndefined();
  expect(JSON.stringify(process.ctx.config)).not.toContain('"secret');
  const sealed = await seal(process.ctx, orgId, 'p', value);
  expect((await open(api.ctx, orgId, 'p', sealed)).equals(value)).toBe(true);
  await expect(rotateKeyRing(process.ctx, quiet)).rejects.toThrow('Put the new key first');
  await process.close();
  await expect(api.another({ GUILDHALL_KEY_RING: 'env:MY_RING' })).rejects.toThrow('MY_RING is not set');
});
