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
import { Stage, stageCommand } from './stage.ts';
import { findUserPool, type UserPool } from './users.ts';

/** The features of this machine for bubblewrap sandboxes. */
export interface Host {
  /** Missing requirements and how to get them; `''` when sandboxes can run. */
  problem: string;
  /** Set for root: every sandbox gets a user of its own, and a stage for its mounts. */
  root: { users: UserPool; stage: string } | undefined;
  limiter: Limiter;
  /** True if a disk image can be mounted. */
  image: boolean;
  /** True if a base layer can be mounted below a writable one; otherwise it is copied. */
  overlay: boolean;
}

/** Shared by all workers of a host. In memory, so a restart of the machine clears it, as it ends all sandboxes. */
const hostDirectory = '/run/guildhall';

/** Tries out everything that a sandbox needs, below `root`. */
export async function inspectHost(root: string): Promise<Host> {
  const host: Host = {
    problem: '',
    root: undefined,
    limiter: {
      kind: 'none',
      directories: () => [],
      create: () => Promise.reject(new Error('this host runs no sandbox')),
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
        problem: 'root has too few user ids here (/proc/self/uid_map): run Guildhall as an ordinary user.',
      };
    }
    const stage = join(hostDirectory, 'stage');
    await mkdir(stage, { recursive: true });
    await Promise.all([hostDirectory, stage].map((path) => chmod(path, 0o755)));
    host.root = { users, stage };
  }
  host.problem = await tryNamespaces(host);
  if (host.problem !== '') return host;
  host.limiter = await findLimiter();
  if (host.root !== undefined) {
    const scratch = await mkdtemp(join(root, '.probe-'));
    try {
      host.image = await tryImage(host.root.stage, scratch);
      host.overlay = await tryOverlay(host.root.stage, scratch, host.image);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return host;
}

async function findMissingProgram(): Promise<string> {
  if (process.platform !== 'linux') return `Sandboxes with namespaces need Linux; this is ${process.platform}.`;
  if (!hasSeccompTable(process.arch)) return `Sandboxes with namespaces are not available for ${process.arch}.`;
  for (const [program, version, install] of [
    ['bwrap', '--version', 'bubblewrap'],
    ['bash', '--version', 'bash'],
    ['prlimit', '--version', 'util-linux'],
  ] as const) {
    try {
      await runSystem([program, version], 10_000);
    } catch {
      return `The program ${program} is missing: install the package ${install} (Debian: apt-get install ${install}).`;
    }
  }
  const { stdout } = await runSystem(['bwrap', '--help'], 10_000);
  return stdout.includes('--disable-userns') ? '' : 'This bubblewrap is too old: version 0.8 or later is needed.';
}

async function tryNamespaces(host: Host): Promise<string> {
  const command = [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ['--disable-userns', '--die-with-parent', '--new-session', ...systemArguments()],
    ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '/usr/bin/env', 'true'],
  ].flat();
  try {
    await run(
      host.root === undefined ? command : stageCommand(Stage.fresh(host.root.stage, []).script(65_534, command)),
    );
    return '';
  } catch (error) {
    const complaint = error instanceof ProgramFailed ? error.stderr.trim() : '';
    return explain(complaint || messageOf(error));
  }
}

/** Explains how an operator can fix a refusal of the kernel. */
function explain(detail: string): string {
  if (/mount proc/i.test(detail)) {
    return (
      'Parts of /proc are masked here, as in a container with default settings, so no sandbox can have its own: run the ' +
      `container with --security-opt systempaths=unconfined, or Guildhall outside of it. (${detail})`
    );
  }
  if (
    existsSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') &&
    /uid map|namespace|loopback/i.test(detail)
  ) {
    return (
      'AppArmor forbids user namespaces to programs without a profile (Ubuntu 24.04 and later): give bubblewrap one, ' +
      '/etc/apparmor.d/bwrap with "abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap ' +
      'flags=(unconfined) { userns, }", and load it with apparmor_parser -r /etc/apparmor.d/bwrap, or set ' +
      `kernel.apparmor_restrict_unprivileged_userns=0. (${detail})`
    );
  }
  if (/unshare failed|cannot open .*ns|mount.*(denied|not permitted)/i.test(detail) && process.getuid?.() === 0) {
    return `Root may not mount here (CAP_SYS_ADMIN is missing): run Guildhall as an ordinary user. (${detail})`;
  }
  if (/namespace|uid map/i.test(detail)) {
    return (
      'The kernel forbids user namespaces to ordinary users: set kernel.unprivileged_userns_clone=1 and ' +
      `user.max_user_namespaces above 0 with sysctl. (${detail})`
    );
  }
  return `A first sandbox did not start: ${detail}`;
}

async function tryImage(place: string, scratch: string): Promise<boolean> {
  try {
    const path = join(scratch, 'disk.img');
    await prepareImage(path, 16);
    const stage = Stage.fresh(place, []);
    stage.image(path);
    await run(stageCommand(stage.script(65_534, ['true'])));
    return true;
  } catch {
    return false;
  }
}

async function tryOverlay(place: string, scratch: string, image: boolean): Promise<boolean> {
  try {
    const lower = join(scratch, 'lower');
    const plain = join(scratch, 'disk');
    await Promise.all([lower, plain].map((path) => mkdir(path)));
    const stage = Stage.fresh(place, []);
    const disk = image ? stage.image(join(scratch, 'disk.img')) : stage.reach(plain);
    const merged = stage.overlay({ path: lower, from: 0 }, disk, 'probe', 65_534);
    await run(stageCommand(stage.script(65_534, ['touch', join(merged, 'file')])));
    return true;
  } catch {
    return false;
  }
}

async function run(command: string[]): Promise<void> {
  await runSystem(command, 30_000);
}
