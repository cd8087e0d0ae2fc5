import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BlobStore } from '../../src/adapters/blobs/port.ts';
import { ProviderError } from '../../src/lib/errors.ts';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { lockTable, told } from '../support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent, type TestSession } from '../support/sessions.ts';

// Real sandboxes and real git, on machines that may be busy.
vi.setConfig({ testTimeout: 90_000 });

let fixture: RuntimeFixture;
/** Sessions whose blobs cannot be stored at the moment. */
const down = new Set<string>();

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker({ slots: 4, change: (ctx) => ({ ...ctx, blobs: failing(ctx.blobs) }) });
});

afterAll(async () => {
  await fixture.close();
});

/** The store as it is, whose writes fail for some sessions as those of a store that cannot be reached. */
function failing(store: WorkerContext['blobs']): BlobStore {
  return {
    ...store,
    put: async (key, content, options) => {
      if (![...down].some((id) => key.includes(id))) return store.put(key, content, options);
      if (!(content instanceof Uint8Array)) content.destroy();
      throw new ProviderError('The blob store cannot be reached.', { retryable: true });
    },
  };
}

const verify_command = 'grep -q 42 answer';
const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);

describe('a blob store that cannot be reached', () => {
  test('for a moment goes unnoticed but for a warning', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: 'echo here; sleep 1; echo 42 >> answer' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    down.add(id);
    await fixture.event(id, ({ data }) => data['code'] === 'storage_unavailable');
    down.delete(id);
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 1 });
    expect(told(await fixture.events(id))).toEqual([
      'queued',
      'provisioning',
      'running working',
      'warning storage_unavailable: The blob store cannot be reached. What there is to keep waits, and is tried again.',
      'running verifying',
      'running delivering',
      'completed finished',
    ]);
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\none\n42\n');
  });

  test.concurrent('for good ends the session, which says why and claims no checkpoint that is not there', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: 'echo here; sleep 1; echo 42 >> answer' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, ({ kind }) => kind === 'checkpoint');
    await fixture.event(id, printed('here'));
    down.add(id);
    const session = await endOf(id);
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error', attempt_no: 3 });
    const events = await fixture.events(id);
    expect(told(events).slice(-3)).toEqual([
      'warning storage_unavailable: The blob store cannot be reached. What there is to keep waits, and is tried again.',
      'error upstream_error: The blob store cannot be reached. 3 attempts in a row came to nothing.',
      'failed agent_error',
    ]);
    const checkpoints = events.filter(({ kind }) => kind === 'checkpoint');
    const { rows } = await fixture.api.ctx.db.pool.query<{ commit: string; blob: string }>(
      'select commit, blob from session_checkpoints where session_id = $1 order by id',
      [id],
    );
    expect(rows.map(({ commit }) => commit)).toEqual(checkpoints.map(({ data }) => data['commit']));
    for (const { blob } of rows) expect(await fixture.api.ctx.blobs.head(blob)).toBeDefined();
    expect(session.repositories).toHaveLength(1);
  });
});

describe('a write that is held up in the database', () => {
  test.concurrent('costs no other session its worker, and its own session no change request', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const another = await fixture.repository({ answer: '41\n' });
    const steps = (run: string) => ({ steps: [{ run }], summary: '' });
    const lock = await lockTable(fixture.api.connectionString, 'change_requests');
    const held = await fixture.create({ repository, agent: steps('echo 42 >> answer') });
    await fixture.event(held.id, ({ kind }) => kind === 'branch_pushed');
    const heldAt = performance.now();
    const other = await fixture.create({ repository: another, agent: steps('sleep 300') });
    // Longer than a worker goes without a lease that it cannot renew.
    await fixture.until(async () => (performance.now() - heldAt > 11_000 ? true : undefined), 'eleven seconds');
    expect(await fixture.get(other.id)).toMatchObject({ status: 'running', attempt_no: 1 });
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${other.id}/cancel`);
    await lock.release();
    expect(await fixture.reaches(held.id, 'completed', 'failed')).toMatchObject({ status: 'completed', error: null });
    expect(await fixture.changeRequests(repository)).toHaveLength(1);
    expect(told(await fixture.events(other.id))).not.toContainEqual(expect.stringContaining('worker_lost'));
  });
});

/** Waits for the end of a session that is given up again and again, but not for its leases to run out. */
async function endOf(id: string): Promise<TestSession> {
  return fixture.until(async () => {
    const given = (await fixture.events(id)).filter(({ data }) => data['code'] === 'attempt_failed').length;
    await fixture.api.ctx.db.pool.query(
      `update sessions set lease_until = now() - interval '1 s' where id = $1 and attempt_no = $2`,
      [id, given],
    );
    const session = await fixture.get(id);
    return session.status === 'failed' || session.status === 'completed' ? session : undefined;
  }, `${id} ends`);
}
