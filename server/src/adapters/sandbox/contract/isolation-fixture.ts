import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { SandboxWorld } from './world-fixture.ts';

/** Tests what code in a sandbox cannot reach. */
export function isolationContract(world: SandboxWorld): void {
  const { tag, create, run, output, script } = world;

  test('there is no network, not even the loopback or the abstract sockets of the host', async () => {
    const server = createServer((socket) => socket.end('reached'));
    const abstract = createServer((socket) => socket.end('reached'));
    const abstractName = `guildhall-${tag}`;
    await Promise.all([
      once(server.listen(0, '127.0.0.1'), 'listening'),
      once(abstract.listen(`\0${abstractName}`), 'listening'),
    ]);
    const address = server.address();
    const port = isAddress(address) ? address.port : 0;
    const connect = (to: string) =>
      script(
        world.shared,
        `require('net').connect(${to}).on('data', String).on('connect', () => console.log('in')).on('error', (e) => console.log(e.code))`,
      );
    expect(await connect(`${port}, '127.0.0.1'`)).toBe('ECONNREFUSED');
    expect(await connect(`80, '192.0.2.1'`)).toBe('ENETUNREACH');
    expect(await connect(`'\\0${abstractName}'`)).toBe('ECONNREFUSED');
    expect(await script(world.shared, 'console.log(Object.keys(os.networkInterfaces()).join())')).toBe('lo');
    server.close();
    abstract.close();
  });

  test('the host has no files but its programs, and those cannot be written', async () => {
    const other = await create();
    await run(other, 'echo other > file');
    const hidden = ['/etc/shadow', '/etc/hostname', '/root', '/boot', '/sys', process.cwd(), world.root, world.base];
    const sockets = ['/var/run/docker.sock', '/run/docker.sock', '/run/podman', '/run/containerd', '/run/user'];
    for (const path of [...hidden, ...sockets]) {
      expect((await run(world.shared, `ls -d ${path}`)).exitCode, path).not.toBe(0);
    }
    await other.destroy();
    for (const path of ['/usr/x', '/etc/x', '/x', '/dev/x', '/opt/guildhall/x', '/home/x']) {
      expect(await output(world.shared, `touch ${path}`), path).toMatch(/Read-only|Permission denied/);
    }
    const writable = '/workspace /home/agent /tmp /dev/shm /run';
    expect((await run(world.shared, `for d in ${writable}; do touch $d/x || exit 1; done`)).exitCode).toBe(0);
    expect(await output(world.shared, 'id -u; id -g; id -G; grep CapEff /proc/self/status')).toBe(
      '1000\n1000\n1000\nCapEff:\t0000000000000000',
    );
  });

  test('sockets that leave the namespaces, and calls that reach the kernel, are refused', async () => {
    const socket = (family: number, type: number, protocol: number) =>
      output(world.shared, `perl -e 'socket(my $s, ${family}, ${type}, ${protocol}) ? print "open" : print $!+0'`);
    const unsupported = '97';
    expect(await socket(40, 1, 0), 'AF_VSOCK').toBe(unsupported);
    expect(await socket(17, 3, 0), 'AF_PACKET').toBe(unsupported);
    expect(await socket(38, 5, 0), 'AF_ALG').toBe(unsupported);
    expect(await socket(16, 3, 9), 'NETLINK_AUDIT').toBe(unsupported);
    expect(await socket(16, 3, 0), 'NETLINK_ROUTE').toBe('open');
    expect(await socket(1, 1, 0), 'AF_UNIX').toBe('open');
    const call = (...numbers: number[]) =>
      output(world.shared, `perl -e 'print syscall(${numbers.join(', ')}) == -1 ? $!+0 : "done"'`);
    const arm = process.arch === 'arm64';
    expect(await call(arm ? 117 : 101, 0, 0, 0, 0), 'ptrace').toBe('1');
    expect(await call(arm ? 97 : 272, 0x10000000), 'unshare').toBe('1');
    expect(await call(425, 1, 0), 'io_uring_setup').toBe('38');
    expect((await run(world.shared, 'mount -t tmpfs none /tmp')).exitCode).not.toBe(0);
    expect(await output(world.shared, 'grep Seccomp: /proc/self/status')).toMatch(/2$/);
  });

  test('of the host only its three streams are open, whatever the worker had', async () => {
    expect(await output(world.shared, 'ls /proc/self/fd | wc -l')).toBe('4');
  });
}

function isAddress(value: AddressInfo | string | null): value is AddressInfo {
  return typeof value === 'object' && value !== null;
}
