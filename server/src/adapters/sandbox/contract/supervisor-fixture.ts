import { beforeAll, expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { until } from '../contract-fixture.ts';
import type { ExecResult, Sandbox } from '../port.ts';

export interface SupervisorContract {
  isolated: boolean;
  create(): Promise<Sandbox>;
  /** Creates a sandbox of a driver with the contract's short supervisor timeouts. */
  createImpatient(): Promise<Sandbox>;
  run(sandbox: Sandbox, command: string): Promise<ExecResult>;
  shared(): Sandbox;
}

/** Tests the supervisor against code in the sandbox that runs as the same user. */
export function supervisorContract({ isolated, create, createImpatient, run, shared }: SupervisorContract): void {
  const output = async (command: string) => (await run(shared(), command)).stdout.toString().trim();

  /** The silence may be long, so it runs in parallel to the other tests. */
  let silenced: ReturnType<typeof silence>;
  const silence = async () => {
    const sandbox = await createImpatient();
    const command = 'kill -STOP $PPID; sleep 305';
    const waiting = await sandbox.exec({ command, timeoutMs: 300_000 }).catch((error: unknown) => error);
    const ended = await sandbox.ended;
    await sandbox.destroy();
    return { ended, waiting };
  };
  beforeAll(() => {
    silenced = silence();
  });

  test('a program cannot make the supervisor open a debugger', async () => {
    const ask = `kill -USR1 $PPID; sleep 1; curl -s -m 2 http://127.0.0.1:9229/json; echo "ends $?"`;
    expect(await output(ask)).toBe('ends 7');
  });

  test('a sandbox whose supervisor dies has ended, and so has whatever waited for it', async () => {
    const sandbox = await create();
    const waiting = sandbox.exec({ command: 'kill -9 $PPID; sleep 304', timeoutMs: 20_000 });
    await expect(waiting).rejects.toThrow(ProviderError);
    expect(await sandbox.ended).toMatchObject({ reason: 'crashed' });
    await sandbox.destroy();
  });

  test('a sandbox whose supervisor was stopped has ended, and so has whatever waited for it', async () => {
    const { ended, waiting } = await silenced;
    expect(waiting).toBeInstanceOf(ProviderError);
    expect(ended).toMatchObject({ reason: 'crashed', detail: expect.stringMatching(/has not responded for \d+ s/) });
  }, 90_000);

  if (!isolated) return;

  test('a program can neither look into the supervisor or the first process nor hold their line to the worker', async () => {
    const look = 'for p in 1 $PPID; do (exec 3<>/proc/$p/mem) && echo in; cat /proc/$p/environ; ls /proc/$p/fd; done';
    expect(await output(`(${look}) 2>/dev/null; kill -STOP 1; kill -KILL 1; echo on`)).toBe('on');
    // Whatever is readable, none of it holds a socket.
    expect(await output('ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c socket:')).toBe('0');
  });

  test('what a command left behind is taken up when it ends', async () => {
    await output('for i in 1 2 3 4 5; do (setsid sleep 0.1 &); done');
    await until(async () => (await output("cat /proc/[0-9]*/stat | grep -c ' Z '")) === '0');
  });
}
