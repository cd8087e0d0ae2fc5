import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/failures.ts';

let api: TestApi;
let directory: string;
beforeAll(async () => {
  api = await startTestApi();
  directory = await mkdtemp(join(tmpdir(), 'guildhall-misconfigured-'));
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the problem of the only worker in `/readyz`. */
async function problemOf(): Promise<string> {
  const { workers } = (await api.call('GET', '/readyz')).json;
  return Array.isArray(workers) ? String(Object(workers[0]).problem) : '';
}

async function withWorker(url: string, look: (worker: WorkerProcess) => Promise<void>): Promise<void> {
  const worker = await startWorkerProcess(api, url, { GUILDHALL_LOG_LEVEL: 'error' });
  try {
    await look(worker);
  } finally {
    await worker.close();
    await api.ctx.db.pool.query('delete from workers');
  }
}

test('a worker whose GUILDHALL_URL leads nowhere takes no sessions, and says so by the name of the setting', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const nowhere = `http://127.0.0.1:${Object(gone.address()).port}`;
  gone.close();
  await once(gone, 'close');
  const body = { prompt: 'x' };
  const { json: session } = await api.call('POST', '/v3/organizations/default/sessions', { body });
  await withWorker(nowhere, async (worker) => {
    const problem = await problemOf();
    expect(problem).toContain(`GUILDHALL_URL: no API answers at ${nowhere}/healthz: connect ECONNREFUSED`);
    expect(worker.log()).toContain('GUILDHALL_URL: no API answers');
    const { json } = await api.call('GET', `/v3/organizations/default/sessions/${String(session['id'])}`);
    expect(json).toMatchObject({ status: 'queued', attempt_no: 0 });
  });
});

test('a worker whose GUILDHALL_URL is that of another installation takes no sessions either', async () => {
  const other = await startTestApi();
  await withWorker(other.url, async () => {
    expect(await problemOf()).toBe(`GUILDHALL_URL: ${other.url}/healthz is not the API of this installation.`);
  });
  await other.close();
});

test('a worker that reaches its API has no problem', async () => {
  await withWorker(api.url, async () => {
    expect(await problemOf()).toBe('');
  });
});

test('blobs and repositories that are not those of the other processes are refused at start, by name', async () => {
  await expect(startWorkerProcess(api, api.url, { GUILDHALL_BLOBS: join(directory, 'blobs') })).rejects.toThrow(
    'GUILDHALL_BLOBS is',
  );
  await expect(api.another({ GUILDHALL_REPOSITORIES: join(directory, 'repositories') })).rejects.toThrow(
    'GUILDHALL_REPOSITORIES is',
  );
  await (await api.another()).close();
});
