import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { commandLines, until } from '../contract-fixture.ts';
import { NothingListens, type SandboxTerminal } from '../port.ts';
import type { SandboxWorld } from './world-fixture.ts';

/** Tests terminals, and connections to servers inside. */
export function terminalContract(world: SandboxWorld): void {
  const { isolated, tag } = world;
  const size = { columns: 100, rows: 30 };
  const shell = ['bash', '--noprofile', '--norc'];

  /** Follows a terminal's output. */
  function reading(terminal: SandboxTerminal) {
    let seen = '';
    const read = async (): Promise<void> => {
      for await (const chunk of terminal.output) seen = (seen + Buffer.from(chunk).toString()).slice(-100_000);
    };
    void read();
    return { shows: (pattern: RegExp) => until(async () => pattern.test(seen)) };
  }

  test('a terminal is one for its program: it has a size that can change, line editing, signals and an exit code', async () => {
    const terminal = await world.shared.openTerminal({ command: shell, env: { TERM: 'xterm' }, ...size });
    const { shows } = reading(terminal);
    const type = (text: string) => terminal.type(Buffer.from(text));
    await type('stty size; test -t 0 && test -t 2 && echo "is a $TERM"; tty\n');
    await shows(/30 100\r\n/);
    await shows(/is a xterm\r\n/);
    await shows(/\/dev\/pts\/\d+\r\n/);
    for (let at = 1; at <= 10_000; at += 1) void terminal.resize({ columns: (at % 900) + 1, rows: 20 });
    await terminal.resize({ columns: 77, rows: 11 });
    await type('stty size\n');
    await shows(/11 77\r\n/);
    await type('sleep 300\n');
    await delay(200);
    await type('\u0003');
    await type('echo "interrupted $?"\n');
    await shows(/interrupted 130\r\n/);
    await type('exit 7\n');
    expect(await terminal.exited).toEqual({ exitCode: 7, outOfMemory: false });
  });

  test('a terminal that prints for ever waits for its reader, and ends with all that it started', async () => {
    const terminal = await world.shared.openTerminal({ command: shell, ...size });
    await terminal.type(Buffer.from(`sleep ${tag} & cat /dev/zero\n`));
    await delay(1_500);
    const before = process.memoryUsage().arrayBuffers;
    await delay(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
    expect(commandLines().some((line) => line.includes(`sleep ${tag}`))).toBe(true);
    terminal.kill();
    await terminal.output.cancel();
    expect(await terminal.exited).toEqual({ exitCode: 137, outOfMemory: false });
    await until(async () => !commandLines().some((line) => line.includes(`sleep ${tag}`)));
  });

  test('a paste that nothing reads holds up its sender, and no output', async () => {
    const terminal = await world.shared.openTerminal({
      command: ['bash', '-c', 'stty raw; sleep 1; yes | head -c 3000000; echo end; sleep 300'],
      ...size,
    });
    const { shows } = reading(terminal);
    let isTyped = false;
    const typed = terminal.type(Buffer.alloc(3_000_000, 'x')).then(() => (isTyped = true));
    await shows(/end/);
    expect(isTyped).toBe(false);
    terminal.kill();
    await typed;
  });

  if (!isolated) return;

  test('a server inside is reached at its port, on either loopback address, and a port without one refuses', async () => {
    const answering = (host: string, port: number) =>
      `require('net').createServer((c) => c.on('data', (d) => c.end('got ' + d))).listen(${port}, '${host}', () => console.log('up'))`;
    for (const [host, port] of [
      ['127.0.0.1', 4001],
      ['::1', 4002],
    ] as const) {
      const server = await world.shared.spawn({ command: ['node', '-e', answering(host, port)] });
      await server.stdout.getReader().read();
      const connection = await world.shared.connect(port);
      const writer = connection.writable.getWriter();
      await writer.write(Buffer.from('hello'));
      let text = '';
      for await (const chunk of connection.readable) text += Buffer.from(chunk).toString();
      expect(text).toBe('got hello');
      server.kill('SIGKILL');
    }
    await expect(world.shared.connect(4003)).rejects.toThrow(NothingListens);
  });

  test("a connection never reaches a port of the worker's machine", async () => {
    const server = createServer((socket) => socket.end('the host'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(world.shared.connect(port)).rejects.toThrow(NothingListens);
    server.close();
  });
}
