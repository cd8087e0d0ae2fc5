import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The command line of every process of this machine. */
export function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

/** The control groups of a sandbox. */
export function controlGroups(id: string): string {
  return spawnSync('find', ['/sys/fs/cgroup', '-name', `*-${id}`], { encoding: 'utf8' }).stdout;
}
