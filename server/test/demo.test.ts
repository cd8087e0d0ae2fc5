import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from './support/child.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { temporaryDirectory } from './support/server.ts';

const demo = join(import.meta.dirname, '../../demo/src/main.ts');

const programs = temporaryDirectory();
/** A PATH without package managers, which a worker would query. */
let quietPath: string;
beforeAll(async () => {
  quietPath = await mutePackageManagers(join(programs.path, 'bin'));
});
afterAll(() => programs.remove());

let scratch: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  scratch = temporaryDirectory();
});
afterEach(() => scratch.remove());

/** Starts the demo and waits until its server is ready. */
async function startDemo() {
  const child = spawn(process.execPath, [demo], {
    env: { ...process.env, TMPDIR: scratch.path, PATH: quietPath },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('started on')) break;
  expect(processes()).not.toEqual([]);
  return { child, exited };
}

/** Returns command lines with the scratch directory. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((commandLine) => commandLine.includes(scratch.path));
}

test('a terminal that is closed ends the demonstration with its server, database and files', async () => {
  const { child, exited } = await startDemo();
  child.kill('SIGHUP');
  await exited;
  expect(processes()).toEqual([]);
  expect(readdirSync(scratch.path).filter((name) => name.startsWith('guildhall-demo-'))).toEqual([]);
});

test('when it is killed its server ends by itself', async () => {
  const { child, exited } = await startDemo();
  child.kill('SIGKILL');
  await exited;
  await eventually(() => processes().length === 0, 'nothing of it runs', 60_000);
});
