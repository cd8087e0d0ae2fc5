import { randomUUID } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bash, closeDescriptors } from '../system.ts';
import { descriptors } from './launch.ts';

/**
 * What root does before it becomes a sandbox's user: a shell script that runs in a mount namespace of its own. Its mounts
 * (disk image, layer, whatever the user could not reach by path) lie below one place that every host user may pass, and
 * they are gone with the last process of the sandbox, whatever way it ends: no mount can be left behind.
 */
export class Stage {
  readonly #place: string;
  readonly #prefix: string;
  readonly #head: string[] = ['set -eu', 'umask 022', closeDescriptors(descriptors.last)];
  readonly #directories: string[] = [];
  readonly #lines: string[] = [];
  #count = 0;

  private constructor(place: string, prefix: string) {
    this.#place = place;
    this.#prefix = prefix;
  }

  /** A stage of one's own at `place`, whose process enters control groups by writing into `entryFiles`. */
  static fresh(place: string, entryFiles: readonly string[]): Stage {
    const stage = new Stage(place, '');
    for (const file of entryFiles) stage.#head.push(`echo $$ > ${quote(file)}`);
    stage.#head.push(`mount -t tmpfs -o mode=0755,size=1m,nosuid,nodev guildhall ${quote(place)}`);
    return stage;
  }

  /** Adds to the stage of a running sandbox, for a process that has joined its mount namespace. */
  static within(place: string): Stage {
    return new Stage(place, `${randomUUID()}-`);
  }

  /** A new directory on the stage. */
  directory(): string {
    const path = this.#next();
    this.#directories.push(path);
    return path;
  }

  /** Mounts a disk image. */
  image(path: string): string {
    const place = this.directory();
    // A sparse file is zero already: no need to write its inode tables in the background.
    this.#lines.push(`mount -t ext4 -o loop,nosuid,nodev,noatime,noinit_itable ${quote(path)} ${place}`);
    return place;
  }

  /** Returns the path at which the sandbox's user can reach a file or directory of the host: the same if every host user can. */
  reach(path: string): string {
    const source = realpathSync(path);
    if (isReachable(source)) return source;
    const isDirectory = statSync(source).isDirectory();
    const place = isDirectory ? this.directory() : this.#next();
    if (!isDirectory) this.#lines.push(`> ${place}`);
    this.#lines.push(`mount --bind ${quote(source)} ${place}`);
    return place;
  }

  /** Makes directories that belong to a user, unless they are there. */
  own(paths: string[], uid: number): void {
    this.#lines.push(
      'missing=()',
      `for path in ${paths.map(quote).join(' ')}; do [ -e "$path" ] || missing+=("$path"); done`,
      `((\${#missing[@]} == 0)) || install -d -o ${uid} -g ${uid} -- "\${missing[@]}"`,
    );
  }

  /** Hands directories, as far as they are there, from an earlier user to this one with all they hold. */
  give(paths: string[], uid: number): void {
    const give = `chown -R -h ${uid}:${uid} "$path"`;
    this.#lines.push(`for path in ${paths.map(quote).join(' ')}; do [ ! -e "$path" ] || ${give}; done`);
  }

  /** Copies the `workspace` and `home` of a base layer to a disk that has none yet. */
  copyLayer(layer: string, disk: string, uid: number): void {
    const fresh = join(disk, 'new');
    const [workspace, home] = [join(layer, 'workspace'), join(layer, 'home')].map(quote);
    this.#lines.push(
      `if [ ! -e ${quote(join(disk, 'home'))} ]; then`,
      `rm -rf ${fresh} && mkdir ${fresh} && cp -a --reflink=auto ${workspace} ${home} ${fresh}/`,
      `chown -R -h ${uid}:${uid} ${fresh} && mv -T ${fresh}/workspace ${disk}/workspace && mv -T ${fresh}/home ${disk}/home`,
      'fi',
    );
  }

  /** Mounts a read-only lower directory of user `from` with a writable one of user `to` above it. */
  overlay(lower: { path: string; from: number }, disk: string, name: string, to: number): string {
    const place = this.directory();
    const below = this.directory();
    const upper = join(disk, `upper-${name}`);
    const work = join(disk, `work-${name}`);
    this.#lines.push(
      `perl ${quote(idmapProgram)} ${quote(lower.path)} ${below} ${lower.from} ${to} ${unshareNumber()}`,
    );
    this.own([upper, work], to);
    this.#lines.push(
      `mount -t overlay -o nosuid,nodev,lowerdir=${below},upperdir=${upper},workdir=${work} overlay ${place}`,
    );
    return place;
  }

  #next(): string {
    this.#count += 1;
    return join(this.#place, `${this.#prefix}${this.#count}`);
  }

  /** The script; it ends by becoming `program` as the user. */
  script(uid: number, program: string[]): string {
    const drop = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
    // One program makes all of them: starting one costs more than what it does.
    const make = this.#directories.length === 0 ? [] : [`mkdir ${this.#directories.map(quote).join(' ')}`];
    return [...this.#head, ...make, ...this.#lines, `exec ${[...drop, ...program].map(quote).join(' ')}`].join('\n');
  }
}

/** The command that runs a stage's script. Mounts of the host still come and go inside, but none gets out. */
export function stageCommand(script: string): string[] {
  return ['unshare', '--mount', '--propagation', 'slave', '--', ...bash, script];
}

const idmapProgram = fileURLToPath(new URL('idmap.pl', import.meta.url));

function unshareNumber(): number {
  return process.arch === 'arm64' ? 97 : 272;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns true if any user can read a path and traverse its directories. */
function isReachable(path: string): boolean {
  const found = statSync(path);
  if ((found.mode & 0o004) === 0) return false;
  if (found.isDirectory() && (found.mode & 0o001) === 0) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === '/') return true;
  }
}
