import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { findLimiter, type Limiter } from '../limits.ts';
import { ProgramFailed } from '../../../lib/program.ts';
import { runSystem } from '../system.ts';
import { systemArguments } from './arguments.ts';
import { prepareImage } from './disk.ts';
import { hasSeccompTable } from './seccomp.ts';
import { MountScript, mountCommand } from './mount-script.ts';
import { findUserPool, type UserPool } from './users.ts';

/** The features of this machine for bubblewrap sandboxes. */
export interface Host {
  /** Missing requirements and their remedy; `''` if sandboxes can run. */
  problem: string;
  /** Set for root: each sandbox gets its own host user and its own root file system. */
  root: { users: UserPool; mountRoot: string } | undefined;
  limiter: Limiter;
  /** True if a disk image can be mounted. */
  image: boolean;
  /** True if a base layer can be mounted below a writable one; otherwise it is copied. */
  overlay: boolean;
}

/** Shared by all workers of a host. In memory, so that a reboot clears it, which also ends all sandboxes. */
const hostDirectory = '/run/guildhall';

/** Probes everything that a sandbox needs, in `root`. */
export async function inspectHost(root: string): Promise<Host> {
  const host: Host = {
    problem: '',
    root: undefined,
    limiter: {
      kind: 'none',
      directories: () => [],
      create: () => Promise.reject(new Error('this host cannot run sandboxes')),
    },
    image: false,
    overlay: false,
  };
  host.problem = await findMissingProgram();
  if (host.problem !== '') return host;
  if (process.getuid?.() === 0) {
    const users = findUserPool(join(hostDirectory, 'users'));
    if (users === undefined) {
      return {
        ...host,
        problem: 'root has too few user ids here (/proc/self/uid_map). Run Guildhall as an ordinary user.',
      };
    }
    const mountRoot = join(hostDirectory, 'mounts');
    await mkdir(mountRoot, { recursive: true });
    await Promise.all([hostDirectory, mountRoot].map((path) => chmod(path, 0o755)));
    host.root = { users, mountRoot };
  }
  const [problem, limiter, storage] = await Promise.all([
    tryNamespaces(host),
    findLimiter(),
    host.root === undefined ? { image: false, overlay: false } : tryStorage(host.root.mountRoot, root),
  ]);
  return problem === '' ? { ...host, limiter, ...storage } : { ...host, problem };
}

/** Each program with an argument that it must know, and its package. */
const programs = [
  ['bwrap', '--help', 'bubblewrap'],
  ['bash', '--version', 'bash'],
  ['perl', '--version', 'perl'],
  ['prlimit', '--version', 'util-linux'],
] as const;

async function findMissingProgram(): Promise<string> {
  if (process.platform !== 'linux') return `Sandboxes with namespaces need Linux; this is ${process.platform}.`;
  if (!hasSeccompTable(process.arch)) return `Sandboxes with namespaces are not available for ${process.arch}.`;
  const runs = await Promise.allSettled(programs.map(([program, argument]) => runSystem([program, argument], 10_000)));
  const missing = runs.findIndex(({ status }) => status === 'rejected');
  const [program = '', , install = ''] = programs[missing] ?? [];
  if (program !== '')
    return `The program ${program} is missing. Install the package ${install} (Debian: apt-get install ${install}).`;
  const [bubblewrap] = runs;
  return bubblewrap?.status === 'fulfilled' && bubblewrap.value.stdout.includes('--disable-userns')
    ? ''
    : 'The installed bubblewrap is too old. Install version 0.8 or later.';
}

async function tryNamespaces(host: Host): Promise<string> {
  const command = [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ['--disable-userns', '--die-with-parent', '--new-session', ...systemArguments()],
    ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '/usr/bin/env', 'true'],
  ].flat();
  try {
    await run(
      host.root === undefined
        ? command
        : mountCommand(MountScript.forNewNamespace(host.root.mountRoot, []).build(65_534, command)),
    );
    return '';
  } catch (error) {
    const complaint = error instanceof ProgramFailed ? error.stderr.trim() : '';
    return explain(complaint || messageOf(error));
  }
}

/** Explains a refusal by the kernel and its remedy. */
function explain(detail: string): string {
  if (/mount proc/i.test(detail)) {
    return (
      'Parts of /proc are masked, as in a container with default settings, so sandboxes cannot mount their own. Run the ' +
      `container with --security-opt systempaths=unconfined, or Guildhall outside of a container. (${detail})`
    );
  }
  if (
    existsSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') &&
    /uid map|namespace|loopback/i.test(detail)
  ) {
    return (
      'AppArmor forbids user namespaces to programs without a profile (Ubuntu 24.04 and later). Give bubblewrap one, ' +
      '/etc/apparmor.d/bwrap with "abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap ' +
      'flags=(unconfined) { userns, }", and load it with apparmor_parser -r /etc/apparmor.d/bwrap, or set ' +
      `kernel.apparmor_restrict_unprivileged_userns=0. (${detail})`
    );
  }
  if (/unshare failed|cannot open .*ns|mount.*(denied|not permitted)/i.test(detail) && process.getuid?.() === 0) {
    return `Root cannot mount here (CAP_SYS_ADMIN is missing). Run Guildhall as an ordinary user. (${detail})`;
  }
  if (/namespace|uid map/i.test(detail)) {
    return (
      'The kernel forbids user namespaces to ordinary users. Set kernel.unprivileged_userns_clone=1 and ' +
      `user.max_user_namespaces above 0 with sysctl. (${detail})`
    );
  }
  return `A test sandbox failed to start: ${detail}`;
}

/** Tries what root can mount, in `root`: a disk image, and a base layer below a writable one on that disk. */
async function tryStorage(place: string, root: string): Promise<Pick<Host, 'image' | 'overlay'>> {
  const scratch = await mkdtemp(join(root, '.probe-'));
  try {
    const image = join(scratch, 'disk.img');
    const lower = join(scratch, 'lower');
    const plain = join(scratch, 'disk');
    await Promise.all([lower, plain].map((path) => mkdir(path)));
    const hasImage = await succeeds(() => prepareImage(image, 16));
    const tryOverlay = (onImage: boolean): Promise<boolean> =>
      succeeds(async () => {
        const mounts = MountScript.forNewNamespace(place, []);
        const disk = onImage ? mounts.mountImage(image) : mounts.expose(plain);
        const merged = mounts.mountOverlay({ path: lower, from: 0 }, disk, 'probe', 65_534);
        await run(mountCommand(mounts.build(65_534, ['touch', join(merged, 'file')])));
      });
    const tryImage = (): Promise<boolean> =>
      succeeds(async () => {
        const mounts = MountScript.forNewNamespace(place, []);
        mounts.mountImage(image);
        await run(mountCommand(mounts.build(65_534, ['true'])));
      });
    // Nearly always both can be mounted.
    if (hasImage && (await tryOverlay(true))) return { image: true, overlay: true };
    if (hasImage && (await tryImage())) return { image: true, overlay: false };
    return { image: false, overlay: await tryOverlay(false) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function succeeds(attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch {
    return false;
  }
}

async function run(command: string[]): Promise<void> {
  await runSystem(command, 30_000);
}
