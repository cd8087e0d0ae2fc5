import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * OpenStack Swift with its S3 interface: an object store that checks signatures, their expiry and multipart uploads.
 */
export interface Swift {
  /** The endpoint of the S3 interface. */
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
}

const kinds = ['account', 'container', 'object'] as const;

/** Returns why Swift cannot be started here; `''` if it can. */
export function swiftProblem(): string {
  const missing = [...kinds, 'proxy'].filter((kind) => !existsSync(`/usr/bin/swift-${kind}-server`));
  return missing.length === 0
    ? ''
    : `Swift is not installed: apt-get install ${missing.map((kind) => `swift-${kind}`).join(' ')}`;
}

/** Starts one of each of Swift's servers on loopback, in a temporary directory. */
export async function startSwift(): Promise<Swift> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-swift-'));
  const ports = {
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
    proxy: await freePort(),
  };
  await mkdir(join(directory, 'devices/d1'), { recursive: true });
  await writeFile(
    join(directory, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = x\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  for (const kind of kinds) {
    await writeFile(join(directory, `${kind}.conf`), storageServer(kind, directory, ports[kind]));
    buildRing(directory, kind, ports[kind]);
  }
  await writeFile(join(directory, 'proxy.conf'), proxyServer(directory, ports.proxy));
  const servers = [...kinds, 'proxy'].map((kind) => launch(directory, kind));
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(end));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await Promise.all(Object.values(ports).map((port) => accepts(port, directory)));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    close,
  };
}

function common(directory: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}
devices = ${directory}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_udp_host = 127.0.0.1
log_udp_port = 9
`;
}

function storageServer(kind: string, directory: string, port: number): string {
  return `${common(directory, port)}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function proxyServer(directory: string, port: number): string {
  return `${common(directory, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}

function buildRing(directory: string, kind: string, port: number): void {
  const builder = join(directory, `${kind}.builder`);
  for (const step of [['create', '4', '1', '1'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']]) {
    const [verb = '', ...rest] = step;
    const { status, stderr, stdout } = spawnSync('/usr/bin/swift-ring-builder', [builder, verb, ...rest]);
    // 1 is a warning about having only one device.
    if (status !== 0 && status !== 1) throw new Error(`${kind} ring: ${String(stdout)} ${String(stderr)}`);
  }
}

function launch(directory: string, kind: string): ChildProcess {
  const log = openSync(join(directory, `${kind}.log`), 'a');
  return spawn(`/usr/bin/swift-${kind}-server`, [join(directory, `${kind}.conf`)], {
    stdio: ['ignore', log, log],
    env: { PATH: '/usr/bin:/bin', SWIFT_HASH_PATH_SUFFIX: 'x' },
  });
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function accepts(port: number, directory: string): Promise<void> {
  const deadline = Date.now() + 100_000;
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    if (Date.now() > deadline) {
      const logs = await Promise.all(
        [...kinds, 'proxy'].map((kind) => readFile(join(directory, `${kind}.log`), 'utf8')),
      );
      throw new Error(`Swift does not listen on ${port}:\n${logs.join('\n').slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
