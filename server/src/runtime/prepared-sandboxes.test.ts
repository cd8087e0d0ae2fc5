import { readdirSync } from 'node:fs';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../test/support/sessions.ts';
import { createTestSandboxes, shareRuntime } from '../../test/support/test-sandboxes.ts';
import { withSandboxes } from '../../test/support/worker.ts';
import type {
  PreparedSandbox,
  Sandbox,
  SandboxDriver,
  SandboxLimits,
  SandboxOptions,
} from '../adapters/sandbox/port.ts';
import { ProviderError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { prepareSandboxes, type PreparedSandboxes } from './prepared-sandboxes.ts';

const limits: SandboxLimits = { cpu: 1, memory_mb: 256, disk_mb: 64, pids: 64 };
const isPrepared = ({ id }: Pick<Sandbox, 'id'>): boolean => id.startsWith('prepared-');

describe('the sandboxes that wait', () => {
  let base: string;
  let server: Server;
  let driver: SandboxDriver;
  let prepared: PreparedSandboxes;
  let count = 0;
  /** The sandboxes that the driver has prepared in this test. */
  let ready: PreparedSandbox[] = [];
  const isReady = (many: number) => expect.poll(() => ready.length, { timeout: 20_000 }).toBe(many);
  const create = (options: Partial<SandboxOptions> = {}) =>
    prepared.driver.create({
      id: `ses_${(count += 1)}`,
      limits,
      gateway: { socket: join(base, 'gateway.sock') },
      ...options,
    });
  const open = async (many = 1, change = (sandbox: PreparedSandbox): PreparedSandbox => sandbox) => {
    ready = [];
    const watched: SandboxDriver = {
      ...driver,
      async prepare(options) {
        const sandbox = await driver.prepare?.(options);
        if (sandbox === undefined) throw new Error('The driver prepares no sandbox.');
        ready.push(sandbox);
        return change(sandbox);
      },
    };
    prepared = await prepareSandboxes(watched, {
      count: many,
      log: createLog('silent'),
      directory: join(base, 'prepared'),
      mountsBelow: [join(base, 'mirrors')],
      mountsOfAll: async () => [],
      limits,
      idle: async () => {},
    });
  };

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'prepared-'));
    server = createServer((_, response) => response.end('reached'));
    await once(server.listen(join(base, 'gateway.sock')), 'listening');
    driver = createTestSandboxes({ root: join(base, 'sandboxes'), log: createLog('silent') });
    await mkdir(join(base, 'sandboxes'));
    await mkdir(join(base, 'mirrors', 'one.git'), { recursive: true });
    await shareRuntime(join(base, 'sandboxes'));
  });

  afterEach(() => prepared.close());

  afterAll(async () => {
    server.close();
    await rm(base, { recursive: true, force: true });
  });

  test('serve one session each, and are replaced', async () => {
    await open();
    await isReady(1);
    const first = await create();
    await isReady(2);
    const second = await create();
    expect([first, second].every(isPrepared)).toBe(true);
    await first.exec({ command: 'echo secret > file; echo secret > /tmp/file', timeoutMs: 10_000 });
    const { stdout } = await second.exec({ command: 'ls -A . /tmp', timeoutMs: 10_000 });
    expect(stdout.toString()).not.toContain('file');
    await Promise.all([first.destroy(), second.destroy()]);
  });

  test('are passed over by a session that needs another one, or when there is none', async () => {
    await open();
    await isReady(1);
    const others: Partial<SandboxOptions>[] = [
      { env: { A: 'b' } },
      { limits: { ...limits, memory_mb: 300 } },
      { mounts: [join(base, 'sandboxes')] },
    ];
    for (const options of others) {
      const sandbox = await create(options);
      expect(isPrepared(sandbox), JSON.stringify(options)).toBe(false);
      await sandbox.destroy();
    }
    const [one, two] = await Promise.all([create(), create()]);
    expect([one, two].filter(isPrepared)).toHaveLength(1);
    await Promise.all([one.destroy(), two.destroy()]);
  });

  test('serve a session that comes while one starts', async () => {
    await open();
    await expect.poll(() => readdirSync(join(base, 'prepared')).length, { timeout: 20_000, interval: 5 }).toBe(1);
    const sandbox = await create();
    expect(isPrepared(sandbox)).toBe(true);
    await sandbox.destroy();
  });

  test('take the limits that most sessions ask for', async () => {
    await open();
    await isReady(1);
    const other = { ...limits, pids: 80 };
    const direct = await create({ limits: other });
    expect(isPrepared(direct)).toBe(false);
    await isReady(2);
    expect(await ready[0]?.ended).toMatchObject({ reason: 'destroyed' });
    const sandbox = await create({ limits: other });
    expect(isPrepared(sandbox)).toBe(true);
    await Promise.all([direct.destroy(), sandbox.destroy()]);
  });

  test('that cannot be used, or have ended, do not fail a session', async () => {
    const refuse = () => Promise.reject(new ProviderError('It is broken.', { retryable: true }));
    await open(1, (sandbox) => (ready.length > 1 ? sandbox : { ...sandbox, use: refuse }));
    await isReady(1);
    const direct = await create();
    expect(isPrepared(direct)).toBe(false);
    await ready[0]?.discard();
    await isReady(2);
    await ready[1]?.discard();
    const again = await create();
    expect(isPrepared(again)).toBe(false);
    await isReady(3);
    await Promise.all([direct.destroy(), again.destroy()]);
  });

  test('are removed at the end, also one that is being started', async () => {
    await open(2);
    await expect.poll(() => ready.length, { interval: 5 }).toBeGreaterThan(0);
    await prepared.close();
    expect(readdirSync(join(base, 'sandboxes', 'sandboxes'))).toEqual([]);
    expect(readdirSync(base)).not.toContain('prepared');
  });
});

describe('a worker with prepared sandboxes', () => {
  let fixture: RuntimeFixture;
  const used: string[] = [];

  beforeAll(async () => {
    const change = withSandboxes(({ id }) => void used.push(id));
    fixture = await createRuntimeFixture({}, undefined, {
      slots: 4,
      prepared: { count: 2, idle: async () => {} },
      change,
    });
  });

  beforeEach(() => fixture.worker());
  afterAll(() => fixture.close());

  test('runs a session with its checks in them, from the mirror to the change request', async () => {
    const repository = await fixture.repository({ 'check.sh': 'test "$(cat answer)" = 42\n', answer: '41\n' });
    const agent = { steps: [{ run: 'echo 42 > answer; git log --oneline | wc -l' }], summary: 'It is 42 now.' };
    const run = async () => fixture.run({ repository, agent, verify_command: 'sh check.sh' });
    const sessions = [await run(), await run()];
    expect(sessions.map(({ status, verification }) => [status, verification])).toEqual([
      ['completed', 'fixed'],
      ['completed', 'fixed'],
    ]);
    expect(used.filter((id) => id.startsWith('prepared-')).length).toBeGreaterThan(1);
    expect(await fixture.changeRequests(repository)).toHaveLength(2);
  });
});
