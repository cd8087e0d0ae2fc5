import { expect, test } from 'vitest';
import { until } from '../contract-fixture.ts';
import { limits, type SandboxWorld } from './world-fixture.ts';

/** Tests the limits of a sandbox. */
export function limitsContract(world: SandboxWorld): void {
  const { create, run, output } = world;

  test('a full disk is an error of the command, or the end of the sandbox', async () => {
    const sandbox = await create({ limits: { ...limits, disk_mb: 24 } });
    if (world.isolation.disk === 'image') {
      const result = await run(sandbox, 'head -c 40000000 /dev/zero > big');
      expect(result.exitCode).not.toBe(0);
      expect(result.stderr.toString()).toContain('No space left');
      expect(await output(sandbox, 'rm big; echo on')).toBe('on');
    } else {
      await run(sandbox, 'for i in 1 2; do head -c 20000000 /dev/zero > big$i; done; sleep 20').catch(() => undefined);
      expect(await sandbox.ended).toMatchObject({ reason: 'disk_full' });
    }
    await sandbox.destroy();
  });

  test('a command that needs too much memory is ended and says so; the sandbox goes on', async ({ skip }) => {
    if (world.isolation.limits === 'none') skip('nothing limits memory here');
    const source = 'push @held, "x" x 1000000 and select(undef, undef, undef, 0.002) while 1';
    const result = await world.shared.exec({ command: ['perl', '-e', source], timeoutMs: 25_000 });
    expect(result).toMatchObject({ exitCode: 137, outOfMemory: true, timedOut: false });
    expect(await output(world.shared, 'echo on')).toBe('on');
    expect(await run(world.shared, 'exit 9')).toMatchObject({ exitCode: 9, outOfMemory: false });
  });

  test('processes are limited, and a fork bomb ends with its command', async ({ skip }) => {
    if (world.isolation.limits === 'none') skip('nothing limits processes here');
    const forks = 'while (defined(my $p = fork)) { if (!$p) { sleep 60; exit } last if ++$n > 1000 } print $n';
    const counted = await world.shared.exec({
      command: ['perl', '-e', `$| = 1; ${forks}; sleep 60`],
      timeoutMs: 5_000,
    });
    expect(Number(counted.stdout.toString())).toBeGreaterThan(20);
    expect(Number(counted.stdout.toString())).toBeLessThan(100);
    // Killed processes count until the machine's init has reaped them.
    await until(async () => (await output(world.shared, 'echo on | cat')) === 'on');
    // `exec`, because a shell that cannot fork for `sleep` would end before the timeout.
    const bomb = await world.shared.exec({ command: 'f() { f | f & }; f; exec sleep 60', timeoutMs: 1_000 });
    expect(bomb.timedOut).toBe(true);
    await until(async () => (await output(world.shared, 'echo on')) === 'on');
  });
}
