import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/adapters/blobs/port.ts';
import type { Sandbox } from '../../src/adapters/sandbox/port.ts';
import { ProviderError } from '../../src/lib/errors.ts';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { lockTable, printedBy, told } from '../support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent, type TestRepository } from '../support/sessions.ts';

let fixture: RuntimeFixture;
/** Sessions whose blobs cannot be stored now. */
const down = new Set<string>();
const sandboxes: Sandbox[] = [];

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker({
    slots: 5,
    change: (ctx) => ({ ...ctx, blobs: failing(ctx.blobs), sandbox: watched(ctx.sandbox) }),
  });
});

afterAll(async () => {
  await fixture.close();
});

/** The real store, whose writes fail for some sessions as if it was unreachable. */
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

/** The real driver, which records its sandboxes for the tests. */
function watched(driver: WorkerContext['sandbox']): WorkerContext['sandbox'] {
  return {
    ...driver,
    create: async (options) => {
      const sandbox = await driver.create(options);
      sandboxes.push(sandbox);
      return sandbox;
    },
  };
}

const verify_command = 'grep -q 42 answer';
/** Waits in the sandbox until `letGo` is called. A file changes meanwhile, so that there is something to store. */
const wait =
  'until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do date > tick; sleep 1; done; rm -f tick';

async function letGo(repository: TestRepository): Promise<void> {
  const clone = await fixture.clone(repository, 'main');
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
}

const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);

const replaced =
  /^warning sandbox_replaced: The sandbox ended: crashed, .+\. The session continues in a new sandbox from the last checkpoint\.$/;

/** Waits until the agent has printed "here" this many times, and kills its newest sandbox. */
async function kill(id: string, times: number): Promise<void> {
  await fixture.until(
    async () => (printedBy(await fixture.events(id)).split('here').length > times ? true : undefined),
    `${times} times here`,
  );
  const sandbox = sandboxes.findLast((one) => one.id.includes(id) && one.id.includes('-agent-'));
  await expect(sandbox?.exec({ command: 'kill -9 $PPID; sleep 60', timeoutMs: 20_000 })).rejects.toThrow(
    'The sandbox has ended',
  );
}

describe('an outage that is over soon', () => {
  test.concurrent('of the blob store goes unnoticed but for a warning', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: `echo here; ${wait}; echo 42 >> answer` }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    down.add(id);
    await fixture.event(id, ({ data }) => data['code'] === 'storage_unavailable');
    down.delete(id);
    await letGo(repository);
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 1 });
    const warning =
      'warning storage_unavailable: The blob store cannot be reached. Checkpoints and artifacts wait until the blob store is back.';
    // Several operations may wait for it, and each logs that.
    const lines = told(await fixture.events(id)).filter((line, at, all) => line !== warning || all[at - 1] !== warning);
    expect(lines).toEqual([
      'queued',
      'provisioning',
      'running working',
      warning,
      'running verifying',
      'running delivering',
      'completed finished',
    ]);
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\none\n42\n');
  });

  test.concurrent("of a sandbox's disk costs what was done since the last checkpoint, and the session goes on", async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    // The lock of the platform's git becomes what a disk is whose machine was full: read-only.
    const fails =
      'git ls-remote --exit-code origin refs/heads/go >/dev/null || ln -sfn /usr/lock ~/.guildhall/git-0.flock; echo 42 >> answer';
    const steps = [{ run: 'echo one >> answer' }, { run: fails }, { run: 'echo last >> answer' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    const { data } = await fixture.event(id, ({ data: { code } }) => code === 'attempt_failed');
    expect(data['message']).toMatch(/Read-only file system.* The sandbox's disk failed, .* The session is retried\.$/);
    await letGo(repository);
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('41\none\n42\nlast\n');
  });

  test.concurrent('of a sandbox that is killed costs what was done since the last checkpoint, and the session goes on', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: `echo here; ${wait}; echo 42 >> answer` }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await kill(id, 1);
    await letGo(repository);
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', attempt_no: 1 });
    expect(told(await fixture.events(id))).toEqual([
      'queued',
      'provisioning',
      'running working',
      expect.stringMatching(replaced),
      'running verifying',
      'running delivering',
      'completed finished',
    ]);
    const work = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(work, 'answer'), 'utf8')).toBe('41\none\n42\n');
  });
});

describe('an outage that lasts', () => {
  test.concurrent('of the blob store holds the session and its sandbox, and nothing is done twice', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: `echo here; ${wait}; echo 42 >> answer` }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, ({ kind }) => kind === 'checkpoint');
    await fixture.event(id, printed('here'));
    down.add(id);
    await fixture.event(id, ({ data }) => data['code'] === 'storage_unavailable');
    await letGo(repository);
    const since = performance.now();
    await fixture.until(async () => (performance.now() - since > 12_000 ? true : undefined), 'twelve seconds');
    expect(await fixture.get(id)).toMatchObject({ status: 'running', attempt_no: 1 });
    down.delete(id);
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 1, error: null });
    const events = await fixture.events(id);
    expect(printedBy(events)).toBe('here\n');
    expect(told(events).filter((line) => line.startsWith('warning'))).toEqual([
      'warning storage_unavailable: The blob store cannot be reached. Checkpoints and artifacts wait until the blob store is back.',
    ]);
  });

  test.concurrent('of the blob store ends for somebody who stops the turn', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo one >> answer' }, { run: `echo here; ${wait}; echo 42 >> answer` }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, printed('here'));
    down.add(id);
    await fixture.event(id, ({ data }) => data['code'] === 'storage_unavailable');
    await letGo(repository);
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/suspend`);
    expect(await fixture.reaches(id, 'suspended', 'completed', 'failed')).toMatchObject({ status: 'suspended' });
    down.delete(id);
  });

  test.concurrent('of a sandbox that is killed again ends the session, which says how', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo here; sleep 300' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await kill(id, 1);
    await kill(id, 2);
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({
      status: 'failed',
      status_detail: 'sandbox_lost',
      sandbox_state: 'missing',
    });
    expect(told(await fixture.events(id)).slice(-3)).toEqual([
      expect.stringMatching(replaced),
      expect.stringMatching(/^error sandbox_lost: The sandbox ended: crashed, .+\.$/),
      'failed sandbox_lost',
    ]);
  });

  test.concurrent('of a write that is held up costs no other session its worker, and its own no change request', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const another = await fixture.repository({ answer: '41\n' });
    const steps = (run: string) => ({ steps: [{ run }], summary: '' });
    const lock = await lockTable(fixture.api.connectionString, 'change_requests');
    const held = await fixture.create({ repository, agent: steps('echo 42 >> answer') });
    await fixture.event(held.id, ({ kind }) => kind === 'branch_pushed');
    const heldAt = performance.now();
    const other = await fixture.create({ repository: another, agent: steps('sleep 300') });
    await fixture.event(other.id, ({ data }) => data['status'] === 'running');
    // Longer than a worker tolerates a lease that it cannot renew.
    await fixture.until(async () => (performance.now() - heldAt > 11_000 ? true : undefined), 'eleven seconds');
    expect(await fixture.get(other.id)).toMatchObject({ status: 'running', attempt_no: 1 });
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${other.id}/cancel`);
    await lock.release();
    expect(await fixture.reaches(held.id, 'completed', 'failed')).toMatchObject({ status: 'completed', error: null });
    expect(await fixture.changeRequests(repository)).toHaveLength(1);
    expect(told(await fixture.events(other.id))).not.toContainEqual(expect.stringContaining('worker_lost'));
  });
});
