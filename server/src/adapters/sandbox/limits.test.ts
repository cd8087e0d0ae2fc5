import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { enterGroups, findLimiter, removeGroups, type Limiter } from './limits.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Creates our own control groups below one with this much memory. */
async function limiterWith(memoryMb: number): Promise<Limiter> {
  const group = `guildhall-test-${randomUUID()}`;
  const limiter = await findLimiter({ group, memoryMb });
  const above = new Set(limiter.directories('x').map(dirname));
  ends.push(async () => {
    for (const directory of above) if (existsSync(directory)) await rmdir(directory);
  });
  return limiter;
}

/** Takes memory in a group with a limit of 300 MiB, reports it, and keeps it until its input ends. */
async function take(limiter: Limiter, mebibytes: number) {
  const name = randomUUID();
  const group = await limiter.create(name, { cpu: 1, memory_mb: 300, disk_mb: 1, pids: 16 });
  ends.push(() => removeGroups(limiter.directories(name)));
  const program = ['perl', '-e', 'my $held = "x" x (shift() << 20); $| = 1; print "held"; <STDIN>', String(mebibytes)];
  const [command = '', ...args] = enterGroups(group.entryFiles, program);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child.stdout, 'data').then(() => 'held'), ended.then(() => 'ended')]);
  return { child, group, ended, first };
}

test('sandboxes that each keep to their limit get no more together than the machine has for them', async () => {
  const limiter = await limiterWith(400);
  expect(limiter.kind).not.toBe('none');
  const alone = await take(limiter, 250);
  expect([alone.first, alone.group.oomKills()]).toEqual(['held', 0]);
  const second = await take(limiter, 250);
  const [dead, alive] = second.first === 'held' ? [alone, second] : [second, alone];
  expect(await dead.ended).toEqual([null, 'SIGKILL']);
  expect([dead.group.oomKills(), alive.group.oomKills()]).toEqual([1, 0]);
  alive.child.stdin.end();
  expect(await alive.ended).toEqual([0, null]);
});
