import { spawn as spawnProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError } from '../../lib/errors.ts';
import type { Sandbox, SandboxDriver, SandboxIsolation, SandboxOptions } from './port.ts';
import { supervisorTimings, type SupervisorTimings } from './supervisor/connection.ts';
import { supervisorContract } from './supervisor-contract-fixture.ts';
import { commandLines, controlGroups, expectCopiesOut, until } from './contract-fixture.ts';

export interface ContractOptions {
  /** Whether its sandboxes promise to keep the host out of reach. */
  isolated: boolean;
  /** The driver's module and what it calls its factory, for a worker process that is killed. */
  module: URL;
  factory: string;
  /** After which waits a supervisor that was stopped is found out; short ones unless told. */
  silence?: Readonly<SupervisorTimings>;
}

const limits = { cpu: 2, memory_mb: 256, disk_mb: 64, pids: 64 };

type MakeDriver = (root: string, options: { timings: Readonly<SupervisorTimings> }) => SandboxDriver;

/** What every sandbox driver guarantees. `makeDriver` gets a directory of its own. */
export function sandboxContract(
  name: string,
  makeDriver: MakeDriver,
  { isolated, module, factory, silence = { askEveryMs: 500 } }: ContractOptions,
): void {
  describe(`sandbox ${name}`, () => {
    let base: string;
    let root: string;
    let driver: SandboxDriver;
    let isolation: SandboxIsolation;
    let shared: Sandbox;
    let count = 0;
    /** Marks what is this run's: other suites may run on the same machine. */
    const tag = randomInt(1_000_000, 9_999_999);
    const isRunning = () => commandLines().some((line) => line.includes(`sleep ${tag}`));

    const create = (options: Partial<SandboxOptions> = {}) =>
      driver.create({ id: `ses_${(count += 1)}`, limits, ...options });
    const run = (sandbox: Sandbox, command: string) => sandbox.exec({ command, timeoutMs: 20_000 });
    const output = async (sandbox: Sandbox, command: string) => {
      const result = await run(sandbox, command);
      return (result.stdout.toString() + result.stderr.toString()).trim();
    };
    /** Runs JavaScript inside; what it prints. */
    const script = async (sandbox: Sandbox, source: string) => {
      const result = await sandbox.exec({ command: ['node', '-e', source], timeoutMs: 20_000 });
      return result.stdout.toString().trim() || result.stderr.toString();
    };

    beforeAll(async () => {
      process.env['GUILDHALL_CANARY'] = 'canary-of-the-host';
      base = await mkdtemp(join(tmpdir(), 'sandbox-contract-'));
      root = join(base, 'root');
      driver = makeDriver(root, { timings: supervisorTimings });
      const probed = await driver.probe();
      expect(probed.problem).toBe('');
      isolation = probed.isolation;
      expect(isolation.kind).toBe(isolated ? 'namespaces' : 'none');
      shared = await create();
    });

    afterAll(async () => {
      await shared.destroy();
      await rm(base, { recursive: true, force: true });
    });

    test('a command gives its output, its error output and its exit code', async () => {
      const chunks: string[] = [];
      const result = await shared.exec({
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
      const missing = await shared.exec({ command: ['no-such-program'], timeoutMs: 5_000 });
      expect(missing.exitCode).toBe(127);
      const nowhere = await shared.exec({ command: 'true', cwd: '/nowhere', timeoutMs: 5_000 });
      expect(nowhere.exitCode).not.toBe(0);
      expect(nowhere.stderr.toString()).toContain('/nowhere');
    });

    test('standard input arrives whole, also by its name, and a program may leave it unread', async () => {
      const stdin = Buffer.alloc(3_000_000, 'x');
      const counted = await shared.exec({ command: 'wc -c < /dev/stdin', stdin, timeoutMs: 10_000 });
      expect(counted.stdout.toString().trim()).toBe('3000000');
      expect((await shared.exec({ command: 'exit 4', stdin, timeoutMs: 10_000 })).exitCode).toBe(4);
      const argv = await shared.exec({ command: ['cat'], stdin: 'text', timeoutMs: 10_000 });
      expect(argv.stdout.toString()).toBe('text');
    });

    test('a command that ended is reported at once, and what it left in the background lives on', async () => {
      const startedAt = performance.now();
      const result = await run(shared, 'sleep 300 & echo $! > pid; echo started');
      expect(result.stdout.toString()).toBe('started\n');
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect((await run(shared, 'kill -0 $(cat pid) && kill -9 $(cat pid)')).exitCode).toBe(0);
    });

    test('a background process that goes on printing does not keep a command from ending', async () => {
      const result = await run(shared, 'while sleep 0.01; do echo more; done & echo $! > pid; echo first');
      expect(result.stdout.toString()).toContain('first');
      expect((await run(shared, 'kill -0 $(cat pid) && kill -9 $(cat pid)')).exitCode).toBe(0);
    });

    test('a timeout ends the command with all it started, even what ignores SIGTERM or left its group', async () => {
      const result = await shared.exec({
        command: 'trap "" TERM; setsid sleep 301 & echo $! > pid; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done',
        timeoutMs: 300,
      });
      expect(result).toMatchObject({ exitCode: 124, timedOut: true });
      expect(result.durationMs).toBeLessThan(5_000);
      await until(async () => (await run(shared, 'kill -0 $(cat pid)')).exitCode !== 0);
    });

    test('an aborted command rejects with the reason and is killed', async () => {
      const controller = new AbortController();
      const running = shared.exec({
        command: 'echo $$ > pid; echo up; sleep 302',
        timeoutMs: 20_000,
        signal: controller.signal,
        onOutput: () => controller.abort(new Error('changed my mind')),
      });
      await expect(running).rejects.toThrow('changed my mind');
      await until(async () => (await run(shared, 'kill -0 $(cat pid)')).exitCode !== 0);
      await expect(create({ signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
    });

    test('100 MB of output pass through, counted, in bounded memory, with only the tail kept', async () => {
      const before = process.memoryUsage.rss();
      let seen = 0;
      let peak = 0;
      const result = await shared.exec({
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
      const echo = await shared.spawn({ command: ['cat'] });
      const writer = echo.stdin.getWriter();
      const reader = echo.stdout.getReader();
      await writer.write(Buffer.from('one\n'));
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('one\n');
      await writer.close();
      expect((await reader.read()).done).toBe(true);
      expect(await echo.exited).toEqual({ exitCode: 0 });

      const big = await shared.spawn({ command: ['bash', '-c', 'head -c 3000000 /dev/zero; echo end >&2; exit 5'] });
      let bytes = 0;
      for await (const chunk of big.stdout) bytes += chunk.byteLength;
      expect(bytes).toBe(3_000_000);
      expect(await big.exited).toEqual({ exitCode: 5 });

      const endless = await shared.spawn({ command: ['sleep', '303'] });
      endless.kill('SIGKILL');
      expect(await endless.exited).toEqual({ exitCode: 137 });
      await expect(shared.spawn({ command: ['no-such-program'] })).rejects.toThrow(ProviderError);
    });

    test('files are written with their directories and mode, and read back whole', async () => {
      const content = Buffer.alloc(1_000_000, 'ab');
      await shared.writeFile(`${shared.workspace}/deep/er/file.bin`, content);
      await shared.writeFile('tool.sh', '#!/bin/sh\necho tool\n', { mode: 0o755 });
      expect((await shared.readFile(`${shared.workspace}/deep/er/file.bin`)).equals(content)).toBe(true);
      expect(await output(shared, './tool.sh; stat -c %a deep/er/file.bin')).toBe('tool\n644');
      await shared.writeFile('empty', '');
      expect(await shared.readFile('empty')).toHaveLength(0);
      await expect(shared.readFile('missing')).rejects.toThrow(/missing/);
      await expect(shared.readFile('deep')).rejects.toThrow(/not a file/);
      await expect(shared.readFile('deep/er/file.bin', { maxBytes: 999_999 })).rejects.toThrow(/larger/);
    });

    test('a file is copied out whole and in constant memory, or not at all', async () => {
      const sandbox = await create({ limits: { ...limits, disk_mb: 512 } });
      await expectCopiesOut(sandbox, join(base, 'copy'));
      await sandbox.destroy();
    });

    test('secrets are files in memory that their user alone reads, in no command line, and gone with the sandbox', async () => {
      const sandbox = await create({ env: { OF_ALL: `all-${tag}` } });
      const { TOKEN = '' } = await sandbox.writeSecrets({ TOKEN: `file-${tag}` });
      if (isolated) expect(TOKEN).toBe('/run/secrets/TOKEN');
      const look = `stat -c %a ${TOKEN}; stat -f -c %T ${TOKEN}; test -O ${TOKEN} && cat ${TOKEN}`;
      expect(await output(sandbox, look)).toBe(`400\ntmpfs\nfile-${tag}`);
      expect(await sandbox.writeSecrets({ TOKEN: 'second' })).toEqual({ TOKEN });
      expect(await output(sandbox, `cat ${TOKEN}; echo "$OF_ALL"`)).toBe(`secondall-${tag}`);
      let seen = '';
      const onOutput = (_stream: string, chunk: Buffer) => (seen += `${chunk.toString()} ${commandLines().join(' ')}`);
      await sandbox.exec({ command: 'cat /proc/*/cmdline', env: { ONE: `one-${tag}` }, timeoutMs: 20_000, onOutput });
      expect([seen.includes('supervisor'), seen.includes(String(tag))]).toEqual([true, false]);
      await expect(sandbox.writeSecrets({ '../TOKEN': 'x' })).rejects.toThrow(/cannot name a secret/);
      await sandbox.destroy();
      expect(existsSync(TOKEN)).toBe(false);
    });

    test('the gateway is reached over its address inside, also as the proxy of every program', async () => {
      const socket = join(base, 'gateway.sock');
      const server = createServer((request, response) => response.end(`gateway ${request.url}`));
      await new Promise<void>((resolve) => void server.listen(socket, resolve));
      const sandbox = await create({ gatewaySocket: socket });
      try {
        expect(sandbox.gatewayUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
        const get = (url: string) =>
          script(sandbox, `fetch(${url}).then((answer) => answer.text()).then((text) => console.log(text))`);
        expect(await get(`'${sandbox.gatewayUrl}/hello'`)).toBe('gateway /hello');
        expect(await output(sandbox, 'echo $http_proxy $HTTPS_PROXY $no_proxy ${ALL_PROXY-unset}')).toBe(
          `${sandbox.gatewayUrl} ${sandbox.gatewayUrl} 127.0.0.1,localhost unset`,
        );
      } finally {
        await sandbox.destroy();
        server.close();
      }
    });

    test('nothing of the host is in the environment, and a secret is in no argument of any process', async () => {
      const sandbox = await create({ env: { API_SECRET: 'secret-of-the-sandbox' } });
      expect(await output(sandbox, 'echo $API_SECRET')).toBe('secret-of-the-sandbox');
      expect(await output(sandbox, 'env')).not.toContain('canary-of-the-host');
      expect(commandLines().filter((line) => line.includes('secret-of-the-sandbox'))).toEqual([]);
      if (isolated) {
        expect(await output(sandbox, 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"')).not.toContain('canary-of-the-host');
      }
      await sandbox.destroy();
    });

    test('files outlive stop and are found again, processes do not; destroy leaves nothing', async () => {
      const mountsBefore = readFileSync('/proc/self/mounts', 'utf8');
      const first = await create({ id: `ses_kept_${tag}` });
      await run(first, `sleep ${tag} & echo kept > file; echo mine > ~/note; chmod 700 file`);
      expect(isRunning()).toBe(true);
      await expect(create({ id: `ses_kept_${tag}` })).rejects.toThrow(/running already/);
      await first.stop();
      expect(await first.ended).toMatchObject({ reason: 'stopped' });
      await expect(first.exec({ command: 'true', timeoutMs: 1_000 })).rejects.toThrow(ProviderError);
      expect(isRunning()).toBe(false);

      const second = await create({ id: `ses_kept_${tag}` });
      expect(await output(second, 'cat file ~/note; rm file && touch new && stat -c %U new')).toMatch(
        /^kept\nmine\n\w+$/,
      );
      await run(second, `setsid sleep ${tag} & mkdir -p locked/deep; chmod 000 locked/deep locked`);
      await second.destroy();
      await second.destroy();
      expect(await second.ended).toMatchObject({ reason: 'destroyed' });
      expect(isRunning()).toBe(false);
      expect(existsSync(join(root, 'sandboxes', `ses_kept_${tag}`))).toBe(false);
      expect(readFileSync('/proc/self/mounts', 'utf8')).toBe(mountsBefore);
      expect(controlGroups(`ses_kept_${tag}`)).toBe('');

      const third = await create({ id: `ses_kept_${tag}` });
      expect(await output(third, 'ls -A')).toBe('');
      await third.stop();
      await driver.discard(`ses_kept_${tag}`);
      expect(existsSync(join(root, 'sandboxes', `ses_kept_${tag}`))).toBe(false);
      await driver.discard(`ses_kept_${tag}`);
    });

    test('a base layer is what later sandboxes start from, and none of them writes it', async () => {
      const layer = join(base, 'layers', 'one');
      const maker = await create();
      await run(
        maker,
        'mkdir dir; echo base > dir/file; ln -s dir/file link; chmod 600 dir/file; echo home > ~/home-file',
      );
      // Without a namespace the worker copies as its own user, who may not read such a file.
      await run(maker, `echo hidden > locked; chmod ${isolated ? '000' : '400'} locked`);
      await maker.saveLayer(layer);
      await maker.saveLayer(layer);
      await maker.destroy();
      for (const id of ['ses_layer_1', 'ses_layer_2']) {
        const user = await create({ id, layer });
        expect(await output(user, 'cat link ~/home-file; stat -c "%a %U" dir/file; ls -a | wc -l')).toBe(
          `base\nhome\n600 ${await output(user, 'id -un')}\n5`,
        );
        expect(
          (await run(user, 'echo changed > dir/file && rm link && chmod 700 dir && rm ~/home-file')).exitCode,
        ).toBe(0);
        await user.stop();
        const again = await create({ id, layer });
        expect(await output(again, 'cat dir/file; ls -a | wc -l; stat -c %a dir')).toBe('changed\n4\n700');
        await again.destroy();
      }
      expect(await readFile(join(layer, 'workspace', 'dir', 'file'), 'utf8')).toBe('base\n');
      expect((await stat(join(layer, 'workspace', 'dir'))).mode & 0o777).toBe(0o755);
    });

    const impatient = () => makeDriver(join(base, 'impatient'), { timings: silence });
    supervisorContract({
      isolated,
      create: () => create(),
      createImpatient: () => impatient().create({ id: 'ses_impatient', limits }),
      run,
      shared: () => shared,
    });

    test('what a killed worker left behind is swept, and nothing else', async () => {
      const bystander = await create({ id: 'ses_bystander' });
      const stopped = await create({ id: 'ses_stopped' });
      await stopped.stop();
      const worker = spawnProcess(
        process.execPath,
        ['--input-type=module', '-e', workerSource, module.href, factory, root, String(tag)],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(worker.stdout, 'data');
      expect(isRunning()).toBe(true);
      expect(await driver.sweep()).toBe(0);
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      expect(await driver.sweep()).toBe(1);
      await until(() => Promise.resolve(!isRunning()));
      expect(existsSync(join(root, 'sandboxes', `ses_orphan_${tag}`))).toBe(false);
      expect(controlGroups(`ses_orphan_${tag}`)).toBe('');
      expect(existsSync(join(root, 'sandboxes', 'ses_stopped'))).toBe(true);
      expect(await output(bystander, 'echo alive')).toBe('alive');
      await bystander.destroy();
      await driver.discard('ses_stopped');
    });

    test('a full disk is an error of the command, or the end of the sandbox', async () => {
      const sandbox = await create({ limits: { ...limits, disk_mb: 24 } });
      if (isolation.disk === 'image') {
        const result = await run(sandbox, 'head -c 40000000 /dev/zero > big');
        expect(result.exitCode).not.toBe(0);
        expect(result.stderr.toString()).toContain('No space left');
        expect(await output(sandbox, 'rm big; echo on')).toBe('on');
      } else {
        await run(sandbox, 'for i in 1 2; do head -c 20000000 /dev/zero > big$i; done; sleep 20').catch(
          () => undefined,
        );
        expect(await sandbox.ended).toMatchObject({ reason: 'disk_full' });
      }
      await sandbox.destroy();
    });

    test('a command that needs too much memory is ended and says so; the sandbox goes on', async ({ skip }) => {
      if (isolation.limits === 'none') skip('nothing limits memory here');
      const source = 'push @held, "x" x 1000000 and select(undef, undef, undef, 0.002) while 1';
      const result = await shared.exec({ command: ['perl', '-e', source], timeoutMs: 25_000 });
      expect(result).toMatchObject({ exitCode: 137, outOfMemory: true, timedOut: false });
      expect(await output(shared, 'echo on')).toBe('on');
      expect(await run(shared, 'exit 9')).toMatchObject({ exitCode: 9, outOfMemory: false });
    });

    test('processes are limited, and a fork bomb ends with its command', async ({ skip }) => {
      if (isolation.limits === 'none') skip('nothing limits processes here');
      const forks = 'while (defined(my $p = fork)) { if (!$p) { sleep 60; exit } last if ++$n > 1000 } print $n';
      const counted = await shared.exec({ command: ['perl', '-e', `$| = 1; ${forks}; sleep 60`], timeoutMs: 5_000 });
      expect(Number(counted.stdout.toString())).toBeGreaterThan(20);
      expect(Number(counted.stdout.toString())).toBeLessThan(100);
      const bomb = await shared.exec({ command: 'f() { f | f & }; f; sleep 60', timeoutMs: 1_000 });
      expect(bomb.timedOut).toBe(true);
      await until(async () => (await output(shared, 'echo on')) === 'on');
    });

    // A driver that isolates nothing promises none of this: there is no test to skip.
    if (isolated)
      describe('isolation', () => {
        test('there is no network, not even the loopback or the abstract sockets of the host', async () => {
          const server = createTcpServer((socket) => socket.end('reached'));
          const abstract = createTcpServer((socket) => socket.end('reached'));
          const abstractName = `guildhall-${tag}`;
          await Promise.all([
            once(server.listen(0, '127.0.0.1'), 'listening'),
            once(abstract.listen(`\0${abstractName}`), 'listening'),
          ]);
          const address = server.address();
          const port = isAddress(address) ? address.port : 0;
          const connect = (to: string) =>
            script(
              shared,
              `require('net').connect(${to}).on('data', String).on('connect', () => console.log('in')).on('error', (e) => console.log(e.code))`,
            );
          expect(shared.gatewayUrl).toBe('');
          expect(await connect(`${port}, '127.0.0.1'`)).toBe('ECONNREFUSED');
          expect(await connect(`80, '192.0.2.1'`)).toBe('ENETUNREACH');
          expect(await connect(`'\\0${abstractName}'`)).toBe('ECONNREFUSED');
          expect(await script(shared, 'console.log(Object.keys(os.networkInterfaces()).join())')).toBe('lo');
          server.close();
          abstract.close();
        });

        test('the host has no files but its programs, and those cannot be written', async () => {
          const other = await create();
          await run(other, 'echo other > file');
          const hidden = ['/etc/shadow', '/etc/hostname', '/root', '/boot', '/sys', process.cwd(), root, base];
          const sockets = ['/var/run/docker.sock', '/run/docker.sock', '/run/podman', '/run/containerd', '/run/user'];
          for (const path of [...hidden, ...sockets]) {
            expect((await run(shared, `ls -d ${path}`)).exitCode, path).not.toBe(0);
          }
          await other.destroy();
          for (const path of ['/usr/x', '/etc/x', '/x', '/dev/x', '/opt/guildhall/x', '/home/x']) {
            expect(await output(shared, `touch ${path}`), path).toMatch(/Read-only|Permission denied/);
          }
          const writable = '/workspace /home/agent /tmp /dev/shm /run';
          expect((await run(shared, `for d in ${writable}; do touch $d/x || exit 1; done`)).exitCode).toBe(0);
          expect(await output(shared, 'id -u; id -g; id -G; grep CapEff /proc/self/status')).toBe(
            '1000\n1000\n1000\nCapEff:\t0000000000000000',
          );
        });

        test('what is mounted to be read is read at the same path and cannot be written', async () => {
          const mirror = join(base, 'private', 'mirror.git');
          await mkdir(mirror, { recursive: true });
          await writeFile(join(mirror, 'HEAD'), 'ref: main\n');
          await chmod(mirror, 0o777);
          await chmod(join(mirror, 'HEAD'), 0o666);
          await chmod(join(base, 'private'), 0o700);
          const sandbox = await create({ readOnly: [mirror] });
          expect(await output(sandbox, `cat ${mirror}/HEAD`)).toBe('ref: main');
          expect(await output(sandbox, `echo x > ${mirror}/HEAD`)).toContain('Read-only file system');
          expect(await output(sandbox, `touch ${mirror}/new`)).toContain('Read-only file system');
          await sandbox.destroy();
        });

        test('sockets that leave the namespaces, and calls that reach the kernel, are refused', async () => {
          const socket = (family: number, type: number, protocol: number) =>
            output(shared, `perl -e 'socket(my $s, ${family}, ${type}, ${protocol}) ? print "open" : print $!+0'`);
          const unsupported = '97';
          expect(await socket(40, 1, 0), 'AF_VSOCK').toBe(unsupported);
          expect(await socket(17, 3, 0), 'AF_PACKET').toBe(unsupported);
          expect(await socket(38, 5, 0), 'AF_ALG').toBe(unsupported);
          expect(await socket(16, 3, 9), 'NETLINK_AUDIT').toBe(unsupported);
          expect(await socket(16, 3, 0), 'NETLINK_ROUTE').toBe('open');
          expect(await socket(1, 1, 0), 'AF_UNIX').toBe('open');
          const call = (...numbers: number[]) =>
            output(shared, `perl -e 'print syscall(${numbers.join(', ')}) == -1 ? $!+0 : "done"'`);
          const arm = process.arch === 'arm64';
          expect(await call(arm ? 117 : 101, 0, 0, 0, 0), 'ptrace').toBe('1');
          expect(await call(arm ? 97 : 272, 0x10000000), 'unshare').toBe('1');
          expect(await call(425, 1, 0), 'io_uring_setup').toBe('38');
          expect((await run(shared, 'mount -t tmpfs none /tmp')).exitCode).not.toBe(0);
          expect(await output(shared, 'grep Seccomp: /proc/self/status')).toMatch(/2$/);
        });

        test('of the host only its three streams are open, whatever the worker had', async () => {
          expect(await output(shared, 'ls /proc/self/fd | wc -l')).toBe('4');
        });
      });
  });
}

const workerSource = `
  const [module, factory, root, tag] = process.argv.slice(1);
  const log = { warn() {}, info() {}, error() {}, debug() {} };
  const driver = (await import(module))[factory]({ root, log });
  const sandbox = await driver.create({ id: 'ses_orphan_' + tag, limits: { cpu: 1, memory_mb: 128, disk_mb: 32, pids: 32 } });
  await sandbox.exec({ command: 'sleep ' + tag + ' & sleep 0.1', timeoutMs: 5000 });
  console.log('up');
`;

function isAddress(value: AddressInfo | string | null): value is AddressInfo {
  return typeof value === 'object' && value !== null;
}
