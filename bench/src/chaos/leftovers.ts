import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupName } from '../../../server/src/adapters/sandbox/limits.ts';

/**
 * Finds the leftovers of an installation below `directory` whose workers had these data directories: processes, mounts,
 * loop devices, control groups, files of sandboxes, sockets.
 */
export function findLeftovers(directory: string, dataDirectories: readonly string[]): string[] {
  const prefixes = dataDirectories.map((data) => groupName(join(data, 'sandboxes'), ''));
  return [
    ...processesOf(directory).map((process) => `process ${process}`),
    ...linesWith('/proc/self/mounts', directory).map((line) => `mount ${line}`),
    ...loopDevicesOf(directory).map((device) => `loop device ${device}`),
    ...groupsOf('/sys/fs/cgroup', prefixes, 4).map((group) => `control group ${group}`),
    ...dataDirectories.flatMap((data) => list(join(data, 'sandboxes/sandboxes')).map((id) => `files of ${id}`)),
    ...dataDirectories.map(socketDirectory).filter((path) => existsSync(path)),
  ];
}

/** Returns the directory of a worker's sockets into its sandboxes. */
function socketDirectory(data: string): string {
  return join(tmpdir(), `guildhall-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`);
}

function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
      const cwd = link(`/proc/${pid}/cwd`);
      const mine =
        command.includes(directory) || cwd.startsWith(directory) || read(`/proc/${pid}/environ`).includes(directory);
      return mine && !isZombie(pid) ? [`${pid} ${command.slice(0, 120)}`] : [];
    });
}

function isZombie(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat === '' || /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

function loopDevicesOf(directory: string): string[] {
  const devices = existsSync('/sys/block') ? readdirSync('/sys/block').filter((name) => name.startsWith('loop')) : [];
  return devices.filter((name) => read(`/sys/block/${name}/loop/backing_file`).startsWith(directory));
}

function groupsOf(directory: string, prefixes: readonly string[], depth: number): string[] {
  if (depth === 0) return [];
  return list(directory).flatMap((name) => {
    const path = join(directory, name);
    return prefixes.some((prefix) => name.startsWith(prefix)) ? [path] : groupsOf(path, prefixes, depth - 1);
  });
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function linesWith(file: string, text: string): string[] {
  return read(file)
    .split('\n')
    .filter((line) => line.includes(text));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended, or is not readable for us.
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
