import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnProgram, type Program, type SpawnOptions } from './spawn.ts';

const env = { PATH: '/usr/bin:/bin' };
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'guildhall-spawn-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function shell(script: string, options: Partial<SpawnOptions> = {}): Program {
  return spawnProgram('/bin/sh', ['-c', script, 'sh', 'a b', 'ü'], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
}

/** Returns what a program wrote, and how it ended. */
async function endOf(child: Program): Promise<{ out: string; errors: string; end: unknown }> {
  const end = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
    child.once('error', resolve);
  });
  const read = (stream: Program['stdout']) => (stream === null ? '' : text(stream));
  const [out, errors] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { out, errors, end: await end };
}

test('a program gets its arguments, environment, directory and input, and returns its output and exit code', async () => {
  const script = 'echo "$1,$2,$NAME,$(pwd)"; env | wc -l; cat; echo bad >&2; exit 7';
  const child = shell(script, { env: { ...env, NAME: 'a=b\nc', NONE: undefined }, cwd: directory });
  child.stdin?.end('#'.repeat(1_000_000));
  const { out, errors, end } = await endOf(child);
  expect(out.slice(0, out.indexOf('#'))).toBe(`a b,ü,a=b\nc,${directory}\n4\n`);
  expect(out.match(/#/g)).toHaveLength(1_000_000);
  expect([errors, end, child.exitCode, child.signalCode]).toEqual(['bad\n', 7, 7, null]);
});

test('it leads a session, ignores no signal, and inherits no descriptor but those given', async () => {
  const file = join(directory, 'given');
  writeFileSync(file, 'from the file');
  const given = openSync(file, 'r');
  // Node ignores SIGPIPE, which the program must not.
  const script = 'ls -m /proc/self/fd; cut -d" " -f5,6 /proc/$$/stat; grep SigIgn /proc/$$/status; cat <&3; echo $$';
  const stdio = ['ignore', 'pipe', 'ignore', given] as const;
  const { out } = await endOf(shell(script, { stdio }));
  const [descriptors, ids, ignored, rest] = out.split('\n');
  const usual = spawn('/bin/sh', ['-c', 'ls -m /proc/self/fd'], { env, stdio: [...stdio] });
  expect(descriptors).toBe((await endOf(usual)).out.trim());
  expect(ignored).toMatch(/^SigIgn:\s0+$/);
  const [, content, pid] = /^(from the file)(\d+)$/.exec(rest ?? '') ?? [];
  expect([content, ids]).toEqual(['from the file', `${pid} ${pid}`]);
});

test('further pipes go in both directions', async () => {
  const child = shell('read line <&3; echo "got $line" >&3', { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [, , , line] = child.stdio;
  if (!(line && 'write' in line && 'read' in line)) throw new Error('it is no pipe');
  line.write('hello\n');
  expect(String(await once(line, 'data'))).toBe('got hello\n');
});

test('it is killed by a signal, and has ended although a child of its holds the pipes', async () => {
  const child = shell('sleep 300 & echo $!; exec sleep 300');
  const [first] = await once(child.stdout ?? child.stdio[1] ?? process, 'data');
  const exit = new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
  let isClosed = false;
  child.once('close', () => (isClosed = true));
  expect(child.kill('SIGKILL')).toBe(true);
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect([isClosed, child.kill()]).toEqual([false, false]);
  process.kill(Number(first), 'SIGKILL');
  await expect.poll(() => isClosed).toBe(true);
});

test('what cannot start is an error event: a program or directory that is missing, too long arguments', async () => {
  const missing = await endOf(spawnProgram('/nowhere/x', [], { env, stdio: ['pipe', 'pipe', 'pipe'] }));
  expect(missing.end).toMatchObject({ code: 'ENOENT', message: 'posix_spawn /nowhere/x ENOENT' });
  expect((await endOf(spawnProgram('no-such-program', [], { env, stdio: ['ignore'] }))).end).toMatchObject({
    code: 'ENOENT',
  });
  expect((await endOf(shell('true', { cwd: join(directory, 'gone') }))).end).toMatchObject({ code: 'ENOENT' });
  const long = spawnProgram('/bin/true', ['x'.repeat(3_000_000)], { env, stdio: ['ignore'] });
  expect((await endOf(long)).end).toMatchObject({ code: 'E2BIG' });
  for (const bad of [['a\0b'], []])
    expect(() =>
      spawnProgram('/bin/true', bad, { env: bad.length > 0 ? env : { X: '\0' }, stdio: ['ignore'] }),
    ).toThrow('zero byte');
});

test('many end at once, with those that Node started, and none is missed', async () => {
  const ours = Array.from({ length: 60 }, (_, code) => endOf(shell(`exit ${code}`)));
  const others = Array.from({ length: 20 }, (_, code) => once(spawn('/bin/sh', ['-c', `exit ${code}`]), 'close'));
  expect((await Promise.all(ours)).map(({ end }) => end)).toEqual(Array.from({ length: 60 }, (_, code) => code));
  expect((await Promise.all(others)).map(([code]) => Number(code))).toEqual(
    Array.from({ length: 20 }, (_, code) => code),
  );
});

test('a process waits for the programs that it started, and leaves no descriptor open', async () => {
  const script = `import { readdirSync } from 'node:fs';
    import { spawnProgram } from ${JSON.stringify(join(import.meta.dirname, 'spawn.ts'))};
    const one = () => new Promise((resolve) => {
      const child = spawnProgram('sleep', ['0.05'], { env: process.env, stdio: ['ignore', 'ignore', 'ignore'] });
      child.once('close', resolve);
    });
    await one();
    const before = readdirSync('/proc/self/fd').length;
    for (let n = 0; n < 3; n += 1) await one();
    console.log(readdirSync('/proc/self/fd').length - before);`;
  const file = join(directory, 'waits.ts');
  writeFileSync(file, script);
  const { out, end } = await endOf(spawnProgram(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  expect([out, end]).toEqual(['0\n', 0]);
});

test('it starts without a copy of this process', async () => {
  // With a copy, the kernel would count the faults of pages that both have.
  const held = Buffer.alloc(200 * 1024 ** 2, 1);
  const faults = (): number => Number(readFileSync('/proc/self/stat', 'utf8').split(' ')[9]);
  await endOf(shell('true'));
  const before = faults();
  for (let n = 0; n < 5; n += 1) {
    await endOf(shell('true'));
    for (let at = 0; at < held.length; at += 4_096) held[at] = n;
  }
  expect(faults() - before).toBeLessThan(10_000);
});
