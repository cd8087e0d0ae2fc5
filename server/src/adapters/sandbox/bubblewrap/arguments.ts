import { lstatSync, readlinkSync } from 'node:fs';
import type { Toolchain } from './toolchain.ts';

export interface Mount {
  source: string;
  /** The path inside. */
  target: string;
}

/** Everything that a sandbox sees of the host. Paths are those of the namespace in which bwrap starts. */
export interface View {
  etc: string;
  /** Paths of the host's `/etc` that are bound into `etc`. */
  sharedEtc: readonly string[];
  /** Directory of the supervisor's programs. */
  programs: string;
  /** Node for commands, if the host has none. */
  node: string | undefined;
  supervisor: string;
  workspace: string;
  home: string;
  /** A Node installation of the host outside of `/usr`. */
  toolchain: Mount | undefined;
  /** The gateway's socket, or a directory that will contain it. */
  gateway: Mount | undefined;
  readOnly: Mount[];
  memoryMb: number;
  statusFd: number;
  seccompFd: number;
}

export const inside = {
  node: '/opt/guildhall/bin/node',
  programs: '/opt/guildhall/programs',
  supervisor: '/opt/guildhall/supervisor',
  workspace: '/workspace',
  home: '/home/agent',
  gatewaySocket: '/run/guildhall/gateway.sock',
  /** In a prepared sandbox, the directory of the socket. */
  gatewayDirectory: '/run/guildhall/gateway',
  secrets: '/run/secrets',
  /** Directories in memory. */
  memory: ['/dev/shm', '/tmp', '/run'],
  /** The TCP port of the gateway; nothing else is reachable on the sandbox's network. */
  gatewayPort: 3128,
  uid: 1000,
} as const;

/** The paths and the gateway's URL of every sandbox. */
export const places = {
  workspace: inside.workspace,
  home: inside.home,
  gatewayUrl: `http://127.0.0.1:${inside.gatewayPort}`,
} as const;

/** Arguments of bwrap up to the program. They are passed by file descriptor, because `/proc/1/cmdline` is readable inside. */
export function bubblewrapArguments(view: View): string[] {
  const bind = (source: string, target: string) => ['--ro-bind', source, target];
  // Files in memory count against the sandbox's memory, and killing a process does not free them: at most half of it.
  const scratch = (bytes: number, path: string, mode: string) => [
    '--perms',
    mode,
    '--size',
    String(Math.floor(bytes)),
    '--tmpfs',
    path,
  ];
  const megabyte = 1024 * 1024;
  return [
    isolationArguments(),
    ['--json-status-fd', String(view.statusFd), '--seccomp', String(view.seccompFd)],
    systemArguments(),
    bind(view.etc, '/etc'),
    view.sharedEtc.flatMap((path) => bind(path, path)),
    ['--proc', '/proc', '--dev', '/dev'],
    scratch((view.memoryMb * megabyte) / 4, '/dev/shm', '1777'),
    scratch((view.memoryMb * megabyte) / 2, '/tmp', '1777'),
    scratch(16 * megabyte, '/run', '0755'),
    ['--symlink', '../run', '/var/run', '--symlink', '../tmp', '/var/tmp'],
    view.node === undefined ? [] : bind(view.node, inside.node),
    bind(view.programs, inside.programs),
    bind(view.supervisor, inside.supervisor),
    view.toolchain === undefined ? [] : bind(view.toolchain.source, view.toolchain.target),
    ['--bind', view.home, inside.home, '--bind', view.workspace, inside.workspace],
    view.readOnly.flatMap(({ source, target }) => bind(source, target)),
    view.gateway === undefined ? [] : bind(view.gateway.source, view.gateway.target),
    // The rest of the tree is memory without a limit.
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', inside.workspace],
  ].flat();
}

function isolationArguments(): string[] {
  return [
    [
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--die-with-parent',
      '--new-session',
      '--clearenv',
      '--as-pid-1',
    ],
    ['--uid', String(inside.uid), '--gid', String(inside.uid)],
    ['--hostname', 'sandbox'],
    ['--cap-drop', 'ALL'],
  ].flat();
}

/** Mounts `/usr`, and the legacy top-level directories as on the host. */
export function systemArguments(): string[] {
  const parts = ['--ro-bind', '/usr', '/usr'];
  for (const path of ['/bin', '/sbin', '/lib', '/lib32', '/lib64']) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.isSymbolicLink()) parts.push('--symlink', readlinkSync(path), path);
    else parts.push('--ro-bind', path, path);
  }
  return parts;
}

/** PATH of every command. */
export function searchPath(toolchain: Toolchain): string {
  const path = `${inside.home}/.local/bin:/usr/local/bin:/usr/bin:/bin`;
  if (toolchain.kind === 'prefix') return `${path}:${toolchain.prefix}/bin`;
  return toolchain.kind === 'pinned' ? `${path}:/opt/guildhall/bin` : path;
}
