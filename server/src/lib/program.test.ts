import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../test/support/child.ts';
import { ProgramFailed, runProgram } from './program.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-program-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const env = { PATH: process.env['PATH'] };

async function script(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Returns true if a process is running; a zombie is not. */
function runs(pidFile: string): boolean {
  try {
    const pid = readFileSync(join(directory, pidFile), 'utf8').trim();
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function failureOf(run: Promise<unknown>): Promise<ProgramFailed> {
  const failure: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof ProgramFailed) return failure;
  throw new Error(`not a failed program: ${String(failure)}`);
}

test('a program that succeeds answers what it wrote', async () => {
  expect(await runProgram(['sh', '-c', 'echo out; echo err >&2'], { env, timeoutMs: 10_000 })).toEqual({
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('one that fails is named, with what it said', async () => {
  const failure = await failureOf(runProgram(['sh', '-c', 'echo wrong >&2; exit 3'], { env, timeoutMs: 10_000 }));
  expect(failure).toMatchObject({ exitCode: 3, reason: 'failed', message: 'sh ended with exit code 3: wrong' });
  const absent = await failureOf(runProgram(['/nonexistent/program'], { env, timeoutMs: 10_000 }));
  expect(absent).toMatchObject({ exitCode: -1, reason: 'absent' });
});

test('it has so much memory, processor time and room in a file', async () => {
  const run = (command: string, limits: object) =>
    failureOf(runProgram(['sh', '-c', command], { env, timeoutMs: 60_000, limits }));
  const memory = await run(`python3 -c 'bytearray(300_000_000)'`, { memoryBytes: 200 * 1024 ** 2 });
  expect(memory.message).toContain('MemoryError');
  expect((await run('while :; do :; done', { cpuSeconds: 1 })).message).toBe('sh was ended by SIGXCPU');
  const file = join(directory, 'large');
  const written = await run(`exec head -c 2000000 /dev/zero > ${file}`, { fileBytes: 1024 ** 2 });
  expect(written.message).toContain('File too large');
  expect((await stat(file)).size).toBe(1024 ** 2);
});

test('at the end of its time it ends with the children that hold its output, also when it has ended itself', async () => {
  for (const end of ['wait', 'exit 0']) {
    const hangs = await script('hangs', `sleep 600 &\necho $! > ${directory}/child\n${end}`);
    const failure = await failureOf(runProgram([hangs], { env, timeoutMs: 200 }));
    expect(failure).toMatchObject({ reason: 'timeout', message: `${hangs} did not end within 0.2 s` });
    await eventually(() => !runs('child'), 'the child is gone');
  }
});

test('what ignores SIGTERM is killed', async () => {
  const deaf = await script('deaf', `trap '' TERM\necho $$ > ${directory}/deaf-pid\nwhile :; do sleep 600; done`);
  const failure = await failureOf(runProgram([deaf], { env, timeoutMs: 200, graceMs: 50 }));
  expect(failure.reason).toBe('timeout');
  await eventually(() => !runs('deaf-pid'), 'it is gone');
});

test('a child that left the group and holds the output keeps nobody waiting', async () => {
  const stop = new AbortController();
  const escapes = await script('escapes', `setsid sh -c 'echo $$ > ${directory}/escaped; exec sleep 600' &\nwait`);
  const running = runProgram([escapes], { env, timeoutMs: 60_000, graceMs: 50, signal: stop.signal });
  await eventually(() => runs('escaped'), 'it has begun');
  stop.abort(new Error('nobody wants it'));
  await expect(running).rejects.toThrow('nobody wants it');
  process.kill(Number(readFileSync(join(directory, 'escaped'), 'utf8')), 'SIGKILL');
});

test('an aborted signal ends it with its children and is the reason', async () => {
  const stop = new AbortController();
  const waits = await script('waits', `sleep 600 &\necho $! > ${directory}/waits-child\necho begun >&2\nwait`);
  const running = runProgram([waits], { env, timeoutMs: 60_000, signal: stop.signal });
  await eventually(() => runs('waits-child'), 'it has begun');
  stop.abort(new Error('nobody wants it'));
  await expect(running).rejects.toThrow('nobody wants it');
  await eventually(() => !runs('waits-child'), 'the child is gone');
});

test('a program that writes without end is stopped', async () => {
  const failure = await failureOf(runProgram(['yes'], { env, timeoutMs: 60_000 }));
  expect(failure.message).toBe('yes wrote more than 4 MiB');
});
