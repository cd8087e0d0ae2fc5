import { expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { until } from '../contract-fixture.ts';
import type { SandboxWorld } from './world-fixture.ts';

/** Tests commands: what programs see of their sandbox, and what their caller does. */
export function commandsContract(world: SandboxWorld): void {
  const { create, run } = world;

  test('a command gives its output, its error output and its exit code', async () => {
    const chunks: string[] = [];
    const result = await world.shared.exec({
      command: 'echo out; echo err >&2; echo named > /dev/stderr; exit 3',
      timeoutMs: 5_000,
      onOutput: (stream, chunk) => chunks.push(`${stream}:${chunk.toString()}`),
    });
    expect(result).toMatchObject({ exitCode: 3, timedOut: false, outOfMemory: false, stdoutBytes: 4 });
    expect(result.stdout.toString()).toBe('out\n');
    expect(result.stderr.toString()).toBe('err\nnamed\n');
    expect(chunks.join('')).toContain('stdout:out');
  });

  test('a command runs in the workspace with its own environment, as the user of the sandbox', async () => {
    const sandbox = await create({ env: { GREETING: 'hello', BOTH: 'sandbox' } });
    const result = await sandbox.exec({
      command: ['bash', '-c', 'pwd; echo "$GREETING $BOTH $EXTRA $HOME"'],
      env: { BOTH: 'command', EXTRA: 'more' },
      timeoutMs: 5_000,
    });
    expect(result.stdout.toString()).toBe(`${sandbox.workspace}\nhello command more ${sandbox.home}\n`);
    await sandbox.destroy();
  });

  test('a program that does not exist and a directory that does not exist are results', async () => {
    const missing = await world.shared.exec({ command: ['no-such-program'], timeoutMs: 5_000 });
    expect(missing.exitCode).toBe(127);
    const nowhere = await world.shared.exec({ command: 'true', cwd: '/nowhere', timeoutMs: 5_000 });
    expect(nowhere.exitCode).not.toBe(0);
    expect(nowhere.stderr.toString()).toContain('/nowhere');
  });

  test('standard input arrives whole, also by its name, and a program may leave it unread', async () => {
    const stdin = Buffer.alloc(3_000_000, 'x');
    const counted = await world.shared.exec({ command: 'wc -c < /dev/stdin', stdin, timeoutMs: 10_000 });
    expect(counted.stdout.toString().trim()).toBe('3000000');
    expect((await world.shared.exec({ command: 'exit 4', stdin, timeoutMs: 10_000 })).exitCode).toBe(4);
    const argv = await world.shared.exec({ command: ['cat'], stdin: 'text', timeoutMs: 10_000 });
    expect(argv.stdout.toString()).toBe('text');
  });

  test('a command that ended is reported at once, and what it left in the background lives on', async () => {
    const startedAt = performance.now();
    const result = await run(world.shared, 'sleep 300 & echo $! > pid; echo started');
    expect(result.stdout.toString()).toBe('started\n');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect((await run(world.shared, 'kill -0 $(cat pid) && kill -9 $(cat pid)')).exitCode).toBe(0);
  });

  test('a background process that goes on printing does not keep a command from ending', async () => {
    const result = await run(world.shared, 'while sleep 0.01; do echo more; done & echo $! > pid; echo first');
    expect(result.stdout.toString()).toContain('first');
    expect((await run(world.shared, 'kill -0 $(cat pid) && kill -9 $(cat pid)')).exitCode).toBe(0);
  });

  test('a timeout ends the command with all it started, even what ignores SIGTERM or left its group', async () => {
    const result = await world.shared.exec({
      command: 'trap "" TERM; setsid sleep 301 & echo $! > pid; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done',
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    expect(result.durationMs).toBeLessThan(5_000);
    await until(async () => (await run(world.shared, 'kill -0 $(cat pid)')).exitCode !== 0);
  });

  test('a timeout also ends a program whose name has line breaks', async () => {
    const named = `setsid perl -e '$0 = "a\\n) S 1"; sleep 303'`;
    const result = await world.shared.exec({ command: `${named} & echo $! > pid; sleep 9`, timeoutMs: 1_000 });
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    await until(async () => (await run(world.shared, 'kill -0 $(cat pid)')).exitCode !== 0);
  });

  test('an aborted command rejects with the reason and is killed', async () => {
    const controller = new AbortController();
    const running = world.shared.exec({
      command: 'echo $$ > pid; echo up; sleep 302',
      timeoutMs: 20_000,
      signal: controller.signal,
      onOutput: () => controller.abort(new Error('changed my mind')),
    });
    await expect(running).rejects.toThrow('changed my mind');
    await until(async () => (await run(world.shared, 'kill -0 $(cat pid)')).exitCode !== 0);
    await expect(create({ signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
  });

  test('100 MB of output pass through, counted, in bounded memory, with only the tail kept', async () => {
    const before = process.memoryUsage.rss();
    let seen = 0;
    let peak = 0;
    const result = await world.shared.exec({
      command: 'head -c 99999990 /dev/zero; echo -n 0123456789',
      timeoutMs: 25_000,
      keepBytes: 1_000,
      onOutput: (_, chunk) => {
        seen += chunk.length;
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    });
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 100_000_000 });
    expect(seen).toBe(100_000_000);
    expect(result.stdout).toHaveLength(1_000);
    expect(result.stdout.toString().endsWith('0123456789')).toBe(true);
    expect(peak - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('a spawned program is talked to over its streams, and waits for a slow reader', async () => {
    const echo = await world.shared.spawn({ command: ['cat'] });
    const writer = echo.stdin.getWriter();
    const reader = echo.stdout.getReader();
    await writer.write(Buffer.from('one\n'));
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('one\n');
    await writer.close();
    expect((await reader.read()).done).toBe(true);
    expect(await echo.exited).toEqual({ exitCode: 0, outOfMemory: false });

    const big = await world.shared.spawn({
      command: ['bash', '-c', 'head -c 3000000 /dev/zero; echo end >&2; exit 5'],
    });
    let bytes = 0;
    for await (const chunk of big.stdout) bytes += chunk.byteLength;
    expect(bytes).toBe(3_000_000);
    expect(await big.exited).toEqual({ exitCode: 5, outOfMemory: false });

    const endless = await world.shared.spawn({ command: ['sleep', '303'] });
    endless.kill('SIGKILL');
    expect(await endless.exited).toEqual({ exitCode: 137, outOfMemory: false });
    await expect(world.shared.spawn({ command: ['no-such-program'] })).rejects.toThrow(ProviderError);
  });
}
