import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import type { SandboxDriver, SandboxEnd } from '../port.ts';
import { createBubblewrapDriver } from './driver.ts';

// Root limits a sandbox by other means. This file's process switches to another user permanently.
const uid = 64_321;
if (process.getuid?.() !== 0 || ![process.execPath, fileURLToPath(import.meta.url)].every(isReadableByOthers)) {
  test('sandboxes of an ordinary user, beside those of root (optional)', (context) => {
    context.skip('needs root, and a checkout that other users may read');
  });
} else {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
  const makeDriver = (root: string, options = {}) =>
    createBubblewrapDriver({ root, log: createLog('silent'), ...options });
  sandboxContract('bubblewrap without root', makeDriver, {
    isolated: true,
    module: new URL('driver.ts', import.meta.url),
    factory: 'createBubblewrapDriver',
  });
  describe('limits without root', () => limitsAreWatched(makeDriver));
}

const limits = { cpu: 1, memory_mb: 256, disk_mb: 64, pids: 64 };

/** Tests that a program cannot hide its usage: its sandbox, or the program, is ended. */
function limitsAreWatched(makeDriver: (root: string) => SandboxDriver): void {
  let base: string;
  let driver: SandboxDriver;
  let count = 0;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'sandbox-without-root-'));
    driver = makeDriver(base);
  });

  afterAll(() => rm(base, { recursive: true, force: true }));

  const endOf = async (command: string): Promise<SandboxEnd> => {
    const sandbox = await driver.create({ id: `ses_${(count += 1)}`, limits });
    // Runs a command that takes memory or disk once, then waits to be detected.
    void sandbox.exec({ command: `${command}; sleep 300`, timeoutMs: 60_000 }).catch(() => undefined);
    const ended = await sandbox.ended;
    await sandbox.destroy();
    return ended;
  };
  const outputOf = async (command: string): Promise<string> => {
    const sandbox = await driver.create({ id: `ses_${(count += 1)}`, limits });
    const { stdout } = await sandbox.exec({ command, timeoutMs: 60_000 });
    await sandbox.destroy();
    return stdout.toString().trim();
  };

  test('the record says which limits can be got around', async () => {
    expect((await driver.probe()).isolation).toMatchObject({ limits: 'rlimit', disk: 'poll' });
    expect((await driver.probe()).isolation.advisory).toEqual(['cpu', 'memory_mb', 'disk_mb']);
  });

  const tooMuch = 'for i in 1 2 3; do head -c 40000000 /dev/zero > $i; done';

  test.each([
    ['files in directories that their owner may not read', `mkdir d; cd d; chmod 300 .; ${tooMuch}`],
    [
      'files without a name that are open',
      'for i in 1 2 3; do eval "exec $((i + 3))>$i"; rm $i; head -c 40000000 /dev/zero >&$((i + 3)); done',
    ],
  ])('%s count', async (_what, command) => {
    expect(await endOf(command)).toMatchObject({ reason: 'disk_full', detail: 'its files exceed 64 MB' });
  });

  test('empty files count', async () => {
    const end = await endOf('for i in {1..9}; do mkdir $i; (cd $i; seq 1000 | xargs touch); done');
    expect(end).toMatchObject({ reason: 'disk_full', detail: 'it has more than 8192 files' });
  });

  test('no file is larger than the disk', async () => {
    expect(await outputOf('head -c 70000000 /dev/zero > big; stat -c %s big')).toBe('67108864');
  });

  test('files in memory that nobody could count are refused', async () => {
    const call = process.arch === 'arm64' ? 279 : 319;
    expect(await outputOf(`perl -e 'my $n = "x"; print syscall(${call}, $n, 0) == -1 ? $!+0 : "made"'`)).toBe('38');
  });

  // Not by `wait -n`, which misses one of two that end together.
  const untilOneIsLeft = 'while [ "$(jobs -r | wc -l)" -gt 1 ]; do sleep 0.1; done';
  const hog = "node -e 'const held = Buffer.alloc(250e6, 1); setTimeout(() => held, 3e5)'";

  test('programs that need too much together are ended by size, and the sandbox goes on', async () => {
    expect(await outputOf(`(${hog} & ${hog} & ${hog} & ${untilOneIsLeft}; sleep 1; jobs -r | wc -l); echo on`)).toBe(
      '1\non',
    );
  });

  test('a sandbox that stopped its supervisor cannot hold more memory than it may', async () => {
    const sandbox = await driver.create({ id: 'ses_stopped', limits });
    const all = sandbox.exec({
      command: `kill -STOP $PPID; ${hog} & ${hog} & ${hog} & ${untilOneIsLeft}; echo $(jobs -r | wc -l) > left; kill -CONT $PPID; kill %1 %2 %3; true`,
      timeoutMs: 60_000,
    });
    await all;
    expect((await sandbox.readFile('left')).toString()).toBe('1\n');
    await sandbox.destroy();
  });

  test('files in memory count beside the memory of programs', async () => {
    const result = await outputOf(
      `for i in 1 2; do head -c 60000000 /dev/zero > /tmp/held$i; done; ${hog} & wait -n; echo $?`,
    );
    expect(result).toBe('137');
  });
}

function isReadableByOthers(path: string): boolean {
  try {
    execFileSync('test', ['-r', path], { uid, gid: uid, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
