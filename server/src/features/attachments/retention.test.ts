import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { retentionNow } from '../../../test/support/retention.ts';
import { sessionIn } from '../../../test/support/session-states.ts';

const path = '/v3/organizations/default';
const day = 24 * 3_600_000;
const afterMs = 31 * day;

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', path)).json['id']);
  const answer = await api.call('PUT', `${path}/settings/retention`, { body: { attachments_days: 30 } });
  expect(answer.status).toBe(200);
});
afterEach(async () => {
  await query('delete from sessions');
  await query('delete from attachments');
  for (const kind of ['attachments', 'artifacts', 'checkpoints'])
    for await (const { key } of api.ctx.blobs.list(`${kind}/`)) await api.ctx.blobs.delete(key);
});
afterAll(() => api.close());

async function query<T extends object>(text: string, ...values: unknown[]): Promise<T[]> {
  return (await api.ctx.db.pool.query<T>(text, values)).rows;
}

async function upload(content = 'content', { slug, key } = { slug: 'default', key: api.adminKey }): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), 'notes.txt');
  const response = await fetch(`${api.url}/v3/organizations/${slug}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const json: unknown = await response.json();
  return String(Reflect.get(Object(json), 'id'));
}

async function isThere(id: string): Promise<boolean> {
  return (await api.call('GET', `${path}/attachments/${id}`)).status === 200;
}

async function blobs(prefix = 'attachments/'): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.ctx.blobs.list(prefix)) keys.push(key);
  return keys;
}

async function removed(options: Parameters<typeof retentionNow>[2] = {}, ctx: Partial<TestApi['ctx']> = {}) {
  return (await retentionNow({ ...api.ctx, ...ctx }, 'attachments', { afterMs, ...options })).get(orgId);
}

describe('attachments that are older than attachments_days', () => {
  test('are deleted with their content, and audited; a dry run says which', async () => {
    const ids = [await upload('one'), await upload('three')];
    expect(await removed({ afterMs: 29 * day })).toBe(undefined);
    const dry = await removed({ isDryRun: true });
    expect(dry).toEqual({ count: 2, bytes: 8 });
    expect(await Promise.all(ids.map(isThere))).toEqual([true, true]);
    expect(await removed()).toEqual(dry);
    expect(await removed()).toBe(undefined);
    expect(await Promise.all(ids.map(isThere))).toEqual([false, false]);
    expect(await blobs()).toEqual([]);
    const entries = await query(
      `select resource_id as id, actor_type, actor_display from audit_entries where action = 'attachment.delete' order by 1`,
    );
    expect(entries).toEqual(ids.toSorted().map((id) => ({ id, actor_type: 'system', actor_display: 'upkeep' })));
  });

  test('stay while a session that has not ended uses them', async () => {
    const [free, ended, used] = [await upload(), await upload(), await upload()];
    await sessionIn(api, 'canceled', { attachment_ids: [ended] });
    const { path: session } = await sessionIn(api, 'suspended', { attachment_ids: [used] });
    expect(await removed({ isDryRun: true })).toMatchObject({ count: 2 });
    expect(await removed()).toMatchObject({ count: 2 });
    expect(await Promise.all([free, ended, used].map(isThere))).toEqual([false, false, true]);
    await api.call('POST', `${session}/cancel`);
    expect(await removed()).toMatchObject({ count: 1 });
    expect(await isThere(used)).toBe(false);
  });

  test('are deleted in batches, however many stay', async () => {
    const used = await upload();
    await query(
      `insert into attachments (id, org_id, name, content_type, size_bytes, sha256, created_by_type, created_by_id)
       select left(id, 24) || lpad(n::text, 6, '0'), org_id, name, content_type, 1, sha256, created_by_type, created_by_id
       from attachments, generate_series(1, 250) n`,
    );
    await sessionIn(api, 'waiting', { attachment_ids: [used] });
    expect(await removed({ isDryRun: true })).toEqual({ count: 250, bytes: 250 });
    const [a, b] = await Promise.all([removed(), removed()]);
    expect((a?.count ?? 0) + (b?.count ?? 0) + ((await removed())?.count ?? 0)).toBe(250);
    expect(await isThere(used)).toBe(true);
  });

  test('stay if a session begins to use them at the same moment', async () => {
    const id = await upload();
    const client = await api.ctx.db.pool.connect();
    try {
      // As a session that is being created.
      await client.query('begin');
      await client.query('select id from attachments where id = $1 for key share', [id]);
      expect(await removed()).toBe(undefined);
      await client.query('commit');
    } finally {
      client.release();
    }
    expect(await isThere(id)).toBe(true);
    expect(await blobs()).toHaveLength(1);
  });

  test.each(['a session', 'a message'])('are refused to %s that begins to use them after that', async (user) => {
    const id = await upload();
    const { path: session } = await sessionIn(api, 'waiting');
    const client = await api.ctx.db.pool.connect();
    const body = { attachment_ids: [id], ...(user === 'a session' ? { prompt: 'x' } : { content: 'x' }) };
    const before = await query('select id from session_messages');
    try {
      // As retention, which is about to commit.
      await client.query('begin');
      await client.query('delete from attachments where id = $1', [id]);
      const asked = api.call('POST', user === 'a session' ? `${path}/sessions` : `${session}/messages`, { body });
      await expect
        .poll(async () =>
          query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%key share%'`),
        )
        .toHaveLength(1);
      await client.query('commit');
      const { status, json } = await asked;
      expect([status, json['error']]).toEqual([404, 'attachment_not_found']);
    } finally {
      client.release();
    }
    expect(await query('select id from session_messages')).toEqual(before);
  });

  test('leave only content without a row when a removal is killed, which the next night removes', async () => {
    const id = await upload();
    const killed = { ...api.ctx.blobs, delete: async () => Promise.reject(new Error('killed')) };
    expect(await removed({}, { blobs: killed })).toMatchObject({ count: 1 });
    expect([await isThere(id), await blobs()]).toEqual([false, [`attachments/${orgId}/${id}`]]);
    const night = { afterMs: 25 * 3_600_000 };
    expect((await retentionNow(api.ctx, 'attachment-blobs', { ...night, isDryRun: true })).get(orgId)).toEqual({
      count: 1,
      bytes: 7,
    });
    expect(await blobs()).toHaveLength(1);
    expect((await retentionNow(api.ctx, 'attachment-blobs', night)).get(orgId)?.count).toBe(1);
    expect(await blobs()).toEqual([]);
  });

  test('of another organization are not touched', async () => {
    const other = await api.createOrganization('Elsewhere');
    await upload('theirs', other);
    await upload();
    expect([...(await retentionNow(api.ctx, 'attachments', { afterMs })).keys()]).toEqual([orgId]);
    expect(await blobs()).toEqual([expect.stringContaining(`attachments/${other.id}/`)]);
  });
});

describe('blobs that nothing refers to', () => {
  const night = { afterMs: 25 * 3_600_000 };

  test('of artifacts are removed after a day, and no others', async () => {
    const { id } = await sessionIn(api, 'completed');
    const [known, lost, gone] = [
      `artifacts/${orgId}/${id}/known`,
      `artifacts/${orgId}/${id}/lost`,
      `artifacts/${orgId}/ses_gone/x`,
    ];
    for (const key of [known, lost, gone]) await api.ctx.blobs.put(key, Buffer.from('abc'));
    await query(
      `insert into session_artifacts (id, org_id, session_id, name, content_type, size_bytes, sha256, blob)
       values ('art_x', $1, $2, 'x', 'text/plain', 3, '', $3)`,
      orgId,
      id,
      known,
    );
    expect((await retentionNow(api.ctx, 'artifact-blobs')).size).toBe(0);
    const dry = await retentionNow(api.ctx, 'artifact-blobs', { ...night, isDryRun: true });
    expect(dry.get(orgId)).toEqual({ count: 2, bytes: 6 });
    expect(await retentionNow(api.ctx, 'artifact-blobs', night)).toEqual(dry);
    expect(await blobs('artifacts/')).toEqual([known]);
  });

  test('of checkpoints are removed with their session, and stay while a worker may record them', async () => {
    const { id } = await sessionIn(api, 'running');
    const running = `checkpoints/${orgId}/${id}/9-1-0`;
    const gone = `checkpoints/${orgId}/ses_gone/1-1-0`;
    const others = 'checkpoints/org_other/ses_gone/1-1-0';
    for (const key of [running, gone, others]) await api.ctx.blobs.put(key, Buffer.from('abc'));
    const dry = await retentionNow(api.ctx, 'checkpoint-blobs', { orgId, isDryRun: true });
    expect(dry).toEqual(new Map([[orgId, { count: 1, bytes: 3 }]]));
    expect(await retentionNow(api.ctx, 'checkpoint-blobs', { orgId })).toEqual(dry);
    expect(await blobs('checkpoints/')).toEqual([running, others].toSorted());
  });
});
