import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../../../test/support/sessions.ts';

const root = '/v3/organizations/default';

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture({ GUILDHALL_STORAGE_MAX: '4MiB' });
});
afterEach(async () => {
  await fixture.stopWorkers();
  // The next test needs the storage that this one used.
  for (const kind of ['sessions', 'attachments']) {
    const { json } = await fixture.api.call('GET', `${root}/${kind}?first=200`);
    const items = Array.isArray(json['items']) ? json['items'] : [];
    for (const { id } of items) await fixture.api.call('DELETE', `${root}/${kind}/${String(id)}?force=true`);
  }
});
afterAll(async () => {
  await fixture.close();
});

/** Fills the organization's storage; returns the id of the attachment. */
async function fill(bytes: number): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([randomBytes(bytes)]), 'fill.bin');
  const headers = { authorization: `Bearer ${fixture.api.adminKey}` };
  const answer = await fetch(`${fixture.api.url}${root}/attachments`, { method: 'POST', headers, body: form });
  expect(answer.status).toBe(201);
  return /att_\w+/.exec(await answer.text())?.[0] ?? '';
}

const warningsOf = async (id: string): Promise<string[]> =>
  (await fixture.events(id))
    .filter(({ kind, data }: TestEvent) => kind === 'warning' && data['code'] === 'storage_full')
    .map(({ data }) => String(data['message']));

test('a session that fills its organization is suspended with all its work, and goes on when there is room', async () => {
  const filling = await fill(2 * 1024 ** 2);
  const repository = await fixture.repository({ answer: '41\n' });
  await fixture.startWorker();
  const steps = [
    { run: 'head -c 3000000 /dev/urandom > big.bin; echo 42 > answer' },
    { run: 'echo here; [ -e second ] || { touch second; sleep 300; }; rm second; echo done > done' },
  ];
  const { id } = await fixture.create({ repository, deliver: 'none', agent: { steps, summary: '' } });
  expect(await fixture.reaches(id, 'suspended', 'failed')).toMatchObject({
    status: 'suspended',
    status_detail: 'capacity',
  });
  expect((await warningsOf(id)).at(-1)).toMatch(/stores 4.* of 4 MiB in.*is suspended and its work is saved/);
  const files = async () => (await fixture.api.call('GET', `${root}/sessions/${id}/diff`)).json['files'];
  expect(await files()).toMatchObject([{ path: 'answer' }, { path: 'big.bin', binary: true }, { path: 'second' }]);
  const early = await fixture.api.call('POST', `${root}/sessions/${id}/resume`);
  expect([early.status, early.json['error']]).toEqual([402, 'budget_exceeded']);
  const words = await fixture.api.call('POST', `${root}/sessions/${id}/messages`, { body: { content: 'Go on.' } });
  expect([words.status, words.json['error']]).toEqual([402, 'budget_exceeded']);
  expect((await fixture.api.call('DELETE', `${root}/attachments/${filling}`)).status).toBe(204);
  expect((await fixture.api.call('POST', `${root}/sessions/${id}/resume`)).status).toBe(200);
  expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
  expect(await files()).toMatchObject([{ path: 'answer' }, { path: 'big.bin' }, { path: 'done' }]);
});

test('a session that was queued before its organization was full begins nothing, and keeps what it was told', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const agent = { steps: [{ run: 'echo 42 > answer' }], summary: '' };
  const { id } = await fixture.create({ repository, deliver: 'none', agent });
  const { rows } = await fixture.api.ctx.db.pool.query<{ org_id: string }>(
    'select org_id from sessions where id = $1',
    [id],
  );
  const key = `artifacts/${rows[0]?.org_id ?? ''}/${id}/large`;
  await fixture.api.ctx.blobs.put(key, randomBytes(5 * 1024 ** 2));
  await fixture.startWorker();
  expect(await fixture.reaches(id, 'suspended', 'completed')).toMatchObject({ status_detail: 'capacity' });
  expect(await warningsOf(id)).toHaveLength(1);
  await fixture.api.ctx.blobs.delete(key);
  expect((await fixture.api.call('POST', `${root}/sessions/${id}/resume`)).status).toBe(200);
  expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
});

test('work is delivered although that is more than its organization may keep', async () => {
  await fill(1024 ** 2);
  const repository = await fixture.repository({ answer: '41\n' });
  await fixture.startWorker();
  const agent = { steps: [{ run: 'head -c 2500000 /dev/urandom > big.bin; echo 42 > answer' }], summary: '' };
  const { id } = await fixture.create({ repository, deliver: 'branch', agent });
  // It may be detected before or after the end of the turn.
  expect(await fixture.reaches(id, 'completed', 'suspended', 'failed')).toMatchObject({ error: null });
  const work = await fixture.clone(repository, (await fixture.get(id)).repositories[0]?.branch ?? '');
  expect(await fixture.git(work, 'ls-files')).toBe('answer\nbig.bin');
});
