import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { controlGroups, until } from '../contract-fixture.ts';
import type { PreparedSandbox, Sandbox } from '../port.ts';
import { isolationContract } from './isolation-fixture.ts';
import { limits, type SandboxWorld } from './world-fixture.ts';

/** Tests sandboxes that are started before it is known which session gets them. */
export function preparedContract(world: SandboxWorld): void {
  const { output, script, tag } = world;
  let base: string;
  let socket: string;
  let server: Server;
  let used: Sandbox;
  let count = 0;
  const mirror = () => join(base, 'mirrors', 'org', 'one.git');
  const nextId = () => `prepared-${tag}-${(count += 1)}`;
  const prepare = async (id = nextId()): Promise<PreparedSandbox> => {
    const prepared = await world.driver.prepare?.({
      id,
      limits,
      gatewayDirectory: join(base, 'gateway'),
      mountsBelow: [join(base, 'mirrors'), join(base, 'runs')],
    });
    if (prepared === undefined) throw new Error('The driver prepares no sandbox.');
    return prepared;
  };
  const use = async (prepared: PreparedSandbox, onNotice?: (text: string) => void) =>
    prepared.use({
      gateway: { socket },
      mounts: prepared.canMount ? [mirror()] : [],
      ...(onNotice === undefined ? {} : { onNotice }),
    });

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'sandbox-prepared-'));
    await mkdir(join(base, 'gateway'));
    for (const name of ['mirrors/org/one.git', 'mirrors/other/two.git', 'runs/one'])
      await mkdir(join(base, name), { recursive: true });
    await writeFile(join(mirror(), 'HEAD'), 'ref: main\n', { mode: 0o666 });
    server = createServer((request, response) => response.end(`gateway ${request.url}`));
    socket = join(base, 'gateway.sock');
    await once(server.listen(socket), 'listening');
    used = await use(await prepare());
  });

  afterAll(async () => {
    await used.destroy();
    server.close();
    await rm(base, { recursive: true, force: true });
  });

  test('it reaches the gateway of its session, and no other sandbox does', async () => {
    const get = (sandbox: Sandbox) =>
      script(
        sandbox,
        `fetch('${used.gatewayUrl}/hello').then((answer) => answer.text()).then(console.log, () => console.log('refused'))`,
      );
    expect(await get(used)).toBe('gateway /hello');
    expect(await output(used, 'echo $http_proxy')).toBe(used.gatewayUrl);
    expect(await get(world.shared)).toBe('refused');
    expect(await output(used, 'touch /run/guildhall/gateway/x')).toContain('Read-only file system');
  });

  test('it reads what its session mounts, writes none of it, and sees nothing beside it', async () => {
    const prepared = await prepare();
    expect(prepared.canMount).toBe(world.isolation.own_user);
    // An ordinary user cannot mount in a sandbox that runs.
    if (!prepared.canMount) return prepared.discard();
    const sandbox = await use(prepared);
    expect(await output(sandbox, `cat ${mirror()}/HEAD; find ${base} | sort`)).toBe(
      [
        'ref: main',
        base,
        ...['mirrors', 'mirrors/org', 'mirrors/org/one.git', 'mirrors/org/one.git/HEAD', 'runs'].map((name) =>
          join(base, name),
        ),
      ].join('\n'),
    );
    for (const command of [
      `echo x > ${mirror()}/HEAD`,
      `touch ${mirror()}/new`,
      `mkdir ${base}/mirrors/x`,
      `touch ${base}/runs/x`,
    ])
      expect(await output(sandbox, command), command).toContain('Read-only file system');
    expect(await output(sandbox, `grep ${mirror()} /proc/self/mountinfo`)).toMatch(/ ro,nosuid,nodev/);
    await sandbox.destroy();
  });

  test('it keeps what is written in it, tells its session of its trouble, and leaves nothing', async () => {
    const mountsBefore = readFileSync('/proc/self/mounts', 'utf8');
    const id = nextId();
    const notices: string[] = [];
    const before = await readdir(join(base, 'gateway'));
    const sandbox = await use(await prepare(id), (text) => notices.push(text));
    expect(sandbox.id).toBe(id);
    await world.run(sandbox, 'echo kept > file; for i in $(seq 100); do setsid sleep 20 & done');
    expect(await output(sandbox, 'cat file')).toBe('kept');
    if (world.isolation.limits !== 'none') await until(() => Promise.resolve(notices.length > 0));
    await sandbox.destroy();
    expect(await sandbox.ended).toMatchObject({ reason: 'destroyed' });
    expect(existsSync(join(world.root, 'sandboxes', id))).toBe(false);
    expect(await readdir(join(base, 'gateway'))).toEqual(before);
    expect(readFileSync('/proc/self/mounts', 'utf8')).toBe(mountsBefore);
    expect(controlGroups(id)).toBe('');
  });

  test('it serves one session only, and nobody when a mount fails', async () => {
    const twice = await prepare();
    await use(twice);
    await expect(use(twice)).rejects.toThrow(ProviderError);
    expect(await twice.ended).toMatchObject({ reason: 'destroyed' });
    const prepared = await prepare();
    if (!prepared.canMount) return prepared.discard();
    const missing = join(base, 'mirrors', 'org', 'missing.git');
    await expect(prepared.use({ gateway: { socket }, mounts: [missing] })).rejects.toThrow(/missing\.git/);
    expect(await prepared.ended).toMatchObject({ reason: 'destroyed' });
    const outside = await prepare();
    await expect(outside.use({ gateway: { socket }, mounts: [join(base, 'gateway')] })).rejects.toThrow(ProviderError);
    expect(await outside.ended).toMatchObject({ reason: 'destroyed' });
  });

  test('what a killed worker had prepared is swept', async () => {
    const id = nextId();
    const worker = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        workerSource,
        world.module.href,
        world.factory,
        world.root,
        id,
        join(base, 'gateway'),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(worker.stdout, 'data');
    expect(controlGroups(id) === '').toBe(world.isolation.limits === 'rlimit');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(await world.driver.sweep()).toBe(1);
    expect(existsSync(join(world.root, 'sandboxes', id))).toBe(false);
    expect(controlGroups(id)).toBe('');
  });

  describe('isolation', () =>
    isolationContract({
      ...world,
      // Both are of the driver, which exists only when the tests run.
      get shared() {
        return used;
      },
      get base() {
        return world.base;
      },
      get root() {
        return world.root;
      },
      create: async () => use(await prepare()),
    }));
}

const workerSource = `
  const [module, factory, root, id, gatewayDirectory] = process.argv.slice(1);
  const log = { warn() {}, info() {}, error() {}, debug() {} };
  const driver = (await import(module))[factory]({ root, log });
  await driver.prepare({ id, limits: { cpu: 1, memory_mb: 128, disk_mb: 32, pids: 32 }, gatewayDirectory, mountsBelow: [] });
  console.log('up');
`;
