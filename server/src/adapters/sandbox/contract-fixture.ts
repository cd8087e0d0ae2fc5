import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sandbox } from './port.ts';

/** Returns the command line of every process of this machine. */
export function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return []; // It has ended.
    }
  });
}

/** Returns the control groups of a sandbox. */
export function controlGroups(id: string): string {
  return spawnSync('find', ['/sys/fs/cgroup', '-name', `*-${id}`], { encoding: 'utf8' }).stdout;
}

/** Watches the memory of this process's buffers; returns a function that returns its maximum growth, in bytes. */
function watchBuffers(): () => number {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const look = (): void => void (most = Math.max(most, process.memoryUsage().arrayBuffers));
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return most - before;
  };
}

/** Copies files out of a sandbox with space for 402 MB, to a new host path, and back in. */
export async function expectCopies(sandbox: Sandbox, target: string): Promise<void> {
  const output = async (command: string) =>
    (await sandbox.exec({ command, timeoutMs: 60_000 })).stdout.toString().trim();
  await output('head -c 201000000 /dev/urandom > large; mkfifo pipe');
  const held = watchBuffers();
  expect(await sandbox.copyOut('large', target, { maxBytes: 201_000_000 })).toBe(201_000_000);
  expect(held()).toBeLessThan(120_000_000);
  const digest = createHash('sha256');
  for await (const piece of createReadStream(target)) digest.update(Buffer.from(piece));
  const hash = digest.digest('hex');
  expect(await output('sha256sum < large')).toBe(`${hash}  -`);
  await expect(sandbox.copyOut('large', target, { maxBytes: 201_000_000 })).rejects.toThrow(/EEXIST/);
  await sandbox.exec({ command: 'rm large', timeoutMs: 60_000 });
  const heldIn = watchBuffers();
  await sandbox.copyIn(target, 'in/large', { mode: 0o600 });
  expect(heldIn()).toBeLessThan(120_000_000);
  expect(await output('stat -c %a in/large; sha256sum < in/large; mv in/large large')).toBe(`600\n${hash}  -`);
  await writeFile(`${target}-empty`, '');
  await sandbox.copyIn(`${target}-empty`, 'in/empty');
  expect(await output('stat -c "%a %s" in/empty')).toBe('644 0');
  await expect(sandbox.copyIn(`${target}-missing`, 'in/missing')).rejects.toThrow(/ENOENT/);
  for (const [path, problem] of [
    ['large', /larger than 200999999/],
    ['missing', /missing/],
    ['pipe', /not a file/],
  ] as const) {
    await expect(sandbox.copyOut(path, `${target}-2`, { maxBytes: 200_999_999 })).rejects.toThrow(problem);
    expect(existsSync(`${target}-2`)).toBe(false);
  }
}

/** Waits for a condition, at most 10 s. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await delay(20);
  }
}
