import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import { becomeOwner } from '../ownership.ts';
import { runSystem } from '../system.ts';
import { createBubblewrapDriver } from './driver.ts';
import { readRecord } from './storage.ts';

sandboxContract(
  'bubblewrap',
  (root, options) => createBubblewrapDriver({ root, log: createLog('silent'), ...options }),
  {
    isolated: true,
    module: new URL('driver.ts', import.meta.url),
    factory: 'createBubblewrapDriver',
  },
);

const limits = { cpu: 1, memory_mb: 256, disk_mb: 64, pids: 64 };

test('a sandbox whose host user was given away comes back with another', async (context) => {
  if (process.getuid?.() !== 0) context.skip('needs root');
  const base = await mkdtemp(join(tmpdir(), 'sandbox-users-'));
  const driver = createBubblewrapDriver({ root: base, log: createLog('silent') });
  const maker = await driver.create({ id: 'maker', limits });
  await maker.exec({ command: 'echo base > lower', timeoutMs: 5_000 });
  const layer = await maker.saveLayer();
  await maker.destroy();
  const first = await driver.create({ id: 'moving', limits, layer });
  await first.exec({ command: 'echo mine > upper; chmod 600 upper; mkdir -m 700 deep', timeoutMs: 5_000 });
  await first.stop();
  const former = (await readRecord(join(base, 'sandboxes', 'moving')))?.uid;
  const other = await becomeOwner(join(base, 'others'));
  expect(await other.claim('/run/guildhall/users', String(former), null)).toBe(true);
  try {
    const second = await driver.create({ id: 'moving', limits });
    expect((await readRecord(join(base, 'sandboxes', 'moving')))?.uid).not.toBe(former);
    const result = await second.exec({
      command: 'cat lower upper && touch deep/file && echo more >> lower && stat -c %U lower upper deep',
      timeoutMs: 5_000,
    });
    expect(result.stdout.toString()).toBe('base\nmine\nagent\nagent\nagent\n');
    await second.destroy();
  } finally {
    await other.release('/run/guildhall/users', String(former));
    await rm(base, { recursive: true, force: true });
  }
});

test('its files may be below any path: with a space, a tab, a backslash, a quotation mark, and no Latin', async () => {
  const base = await mkdtemp(join(tmpdir(), `sandbox a\t\\040b'c　`));
  const driver = createBubblewrapDriver({ root: base, log: createLog('silent') });
  try {
    const first = await driver.create({ id: 'odd', limits });
    await first.exec({ command: 'echo kept > file', timeoutMs: 5_000 });
    await first.stop();
    const second = await driver.create({ id: 'odd', limits });
    expect((await second.exec({ command: 'cat file', timeoutMs: 5_000 })).stdout.toString()).toBe('kept\n');
    await second.destroy();
  } finally {
    await rm(base, { recursive: true, force: true });
  }
});

test('what a command left behind does not keep the next one from starting, and somebody hears of its end', async (context) => {
  const base = await mkdtemp(join(tmpdir(), 'sandbox-room-'));
  const driver = createBubblewrapDriver({ root: base, log: createLog('silent') });
  if ((await driver.probe()).isolation.limits === 'none') context.skip('nothing limits processes here');
  const notices: string[] = [];
  const sandbox = await driver.create({ id: 'crowded', limits, onNotice: (text) => notices.push(text) });
  const output = async (command: string) => (await sandbox.exec({ command, timeoutMs: 20_000 })).stdout.toString();
  const beside = output('sleep 4; echo undisturbed');
  await output('f() { f | f & }; f 2>/dev/null; setsid sleep 60 & sleep 1');
  expect(await output('(echo one | cat) && echo on')).toBe('one\non\n');
  expect(notices).toEqual([
    expect.stringMatching(/^\d+ processes that earlier commands had left behind were ended: no more than 64 fit/),
  ]);
  expect(await beside).toBe('undisturbed\n');
  await sandbox.destroy();
  await rm(base, { recursive: true, force: true });
});

const removeAndWrite = `
  for round in 1 2 3 4; do
    mkdir files; perl -e 'for (1 .. 8000) { open my $file, ">", "files/$_" or die; print $file "x" }'
    rm -rf files
  done
  times`;

test('files can be removed and written again as quickly as the first time', async (context) => {
  const base = await mkdtemp(join(tmpdir(), 'sandbox-rewritten-'));
  const driver = createBubblewrapDriver({ root: base, log: createLog('silent') });
  if ((await driver.probe()).isolation.disk !== 'image') context.skip('no disk images here');
  const sandbox = await driver.create({ id: 'rewritten', limits: { ...limits, disk_mb: 1024 } });
  const { exitCode, stdout } = await sandbox.exec({ command: removeAndWrite, timeoutMs: 120_000 });
  expect(exitCode).toBe(0);
  const [minutes = '', seconds = ''] = /(\d+)m([\d.]+)s\n$/.exec(stdout.toString())?.slice(1) ?? [];
  expect(Number(minutes) * 60 + Number(seconds)).toBeLessThan(3);
  await sandbox.destroy();
  await rm(base, { recursive: true, force: true });
});

test('a disk that an earlier version made without a journal is still read', async (context) => {
  const base = await mkdtemp(join(tmpdir(), 'sandbox-earlier-'));
  const driver = createBubblewrapDriver({ root: base, log: createLog('silent') });
  const { isolation } = await driver.probe();
  if (isolation.disk !== 'image') context.skip('no disk images here');
  const first = await driver.create({ id: 'earlier', limits });
  await first.exec({ command: 'echo kept > file', timeoutMs: 5_000 });
  await first.stop();
  await runSystem(['tune2fs', '-O^has_journal', join(base, 'sandboxes', 'earlier', 'disk.img')], 10_000);
  const again = await driver.create({ id: 'earlier', limits });
  const { stdout } = await again.exec({ command: 'cat file', timeoutMs: 5_000 });
  expect(stdout.toString()).toBe('kept\n');
  await again.destroy();
  await rm(base, { recursive: true, force: true });
});
