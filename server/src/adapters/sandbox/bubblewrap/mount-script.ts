import { randomUUID } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bash, closeDescriptors } from '../system.ts';
import { descriptors } from './launch.ts';

/**
 * Builds the shell script that root runs in a new mount namespace before it becomes the sandbox's user. Its mounts (disk
 * image, layer, paths that the user could not reach) are below one directory that every host user can traverse. They end
 * with the sandbox's last process, so no mount can be left behind.
 */
export class MountScript {
  readonly #place: string;
  readonly #prefix: string;
  readonly #head: string[] = ['set -eu', 'umask 022', closeDescriptors(descriptors.last)];
  readonly #directories: string[] = [];
  readonly #files: string[] = [];
  /** In the form of fstab(5). */
  readonly #table: string[] = [];
  readonly #lines: string[] = [];
  #count = 0;

  private constructor(place: string, prefix: string) {
    this.#place = place;
    this.#prefix = prefix;
  }

  /** A script for a new namespace, with its mounts at `place`; it enters control groups by writing to `entryFiles`. */
  static forNewNamespace(place: string, entryFiles: readonly string[]): MountScript {
    const script = new MountScript(place, '');
    for (const file of entryFiles) script.#head.push(`echo $$ > ${quote(file)}`);
    script.#head.push(`mount -t tmpfs -o mode=0755,size=1m,nosuid,nodev guildhall ${quote(place)}`);
    return script;
  }

  /** A script for a process that has joined the mount namespace of a running sandbox. */
  static forRunningSandbox(place: string): MountScript {
    return new MountScript(place, `${randomUUID()}-`);
  }

  /** Creates a new mount point. */
  mountPoint(): string {
    const path = this.#next();
    this.#directories.push(path);
    return path;
  }

  /** Mounts a disk image. */
  mountImage(path: string): string {
    const place = this.mountPoint();
    // noinit_itable: a sparse file is zero already, so its inode tables need no initialization. nobarrier: nothing relies on
    // these files after the machine stopped, so a sandbox's fsync need not wait for the host's disk.
    this.#mount(path, place, 'ext4', 'loop,nosuid,nodev,noatime,noinit_itable,nobarrier');
    return place;
  }

  /** Returns a path at which the sandbox's user can read a host file or directory: the same one if every host user can. */
  expose(path: string): string {
    const source = realpathSync(path);
    if (isReachable(source)) return source;
    const isDirectory = statSync(source).isDirectory();
    const place = isDirectory ? this.mountPoint() : this.#next();
    if (!isDirectory) this.#files.push(place);
    this.#mount(source, place, 'none', 'bind');
    return place;
  }

  #mount(source: string, place: string, type: string, options: string): void {
    this.#table.push([source, place, type, options].map(tableField).join(' '));
  }

  /** Creates `count` directories. What is mounted in them later also appears where the sandbox has them. */
  mountPointsForLater(count: number): string[] {
    const place = this.mountPoint();
    const places = Array.from({ length: count }, (_, index) => join(place, String(index)));
    this.#directories.push(...places);
    if (count > 0) this.#mount(place, place, 'none', 'bind,shared');
    return places;
  }

  /**
   * Mounts a host directory at a path below one of {@link mountPointsForLater}. It is read-only before it appears there, because
   * the sandbox sees a mount as it is at that moment.
   */
  mountLater(path: string, place: string): void {
    const hidden = this.#next();
    const make = 'X-mount.mkdir=0755';
    this.#mount(realpathSync(path), hidden, 'none', `bind,ro,nosuid,nodev,${make}`);
    this.#mount(hidden, place, 'none', `bind,${make}`);
  }

  /** Creates directories owned by a user, unless they exist. */
  createOwned(paths: string[], uid: number): void {
    this.#lines.push(
      'missing=()',
      `for path in ${paths.map(quote).join(' ')}; do [ -e "$path" ] || missing+=("$path"); done`,
      `((\${#missing[@]} == 0)) || install -d -o ${uid} -g ${uid} -- "\${missing[@]}"`,
    );
  }

  /** Changes the owner of existing directories and everything in them. */
  changeOwner(paths: string[], uid: number): void {
    const give = `chown -R -h ${uid}:${uid} "$path"`;
    this.#lines.push(`for path in ${paths.map(quote).join(' ')}; do [ ! -e "$path" ] || ${give}; done`);
  }

  /** Copies a base layer's `workspace` and `home` to a disk without files. */
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

  /** Mounts an overlay: a read-only lower directory of user `from`, and a writable one of user `to` above it. */
  mountOverlay(lower: { path: string; from: number }, disk: string, name: string, to: number): string {
    const place = this.mountPoint();
    const below = this.mountPoint();
    const upper = join(disk, `upper-${name}`);
    const work = join(disk, `work-${name}`);
    this.#lines.push(
      `perl ${quote(idmapProgram)} ${quote(lower.path)} ${below} ${lower.from} ${to} ${unshareNumber()}`,
    );
    this.createOwned([upper, work], to);
    this.#lines.push(
      `mount -t overlay -o nosuid,nodev,lowerdir=${below},upperdir=${upper},workdir=${work} overlay ${place}`,
    );
    return place;
  }

  #next(): string {
    this.#count += 1;
    return join(this.#place, `${this.#prefix}${this.#count}`);
  }

  /** Returns the script, which finally executes `program` as the user. */
  build(uid: number, program: string[]): string {
    const drop = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
    return `${this.buildMounts()}\nexec ${[...drop, ...program].map(quote).join(' ')}`;
  }

  /** Returns the script without a program. */
  buildMounts(): string {
    // One mkdir and one mount for all: starting a program costs more than its work.
    const make = this.#directories.length === 0 ? [] : [`mkdir ${this.#directories.map(quote).join(' ')}`];
    const files = this.#files.map((file) => `> ${quote(file)}`);
    const table = join(this.#place, `${this.#prefix}table`);
    const lines = this.#table.map(quote).join(' ');
    const mount =
      this.#table.length === 0 ? [] : [`printf '%s\\n' ${lines} > ${quote(table)}`, `mount -a -T ${quote(table)}`];
    return [...this.#head, ...make, ...files, ...mount, ...this.#lines].join('\n');
  }
}

/** Returns the command that runs the script. Mounts of the host propagate into its namespace, but none out of it. */
export function mountCommand(script: string): string[] {
  return ['unshare', '--mount', '--propagation', 'slave', '--', ...bash, script];
}

const idmapProgram = fileURLToPath(new URL('idmap.pl', import.meta.url));

function unshareNumber(): number {
  return process.arch === 'arm64' ? 97 : 272;
}

/** Escapes what separates fields and lines, as fstab(5) does. */
function tableField(text: string): string {
  return text.replaceAll(/[\\ \t\n]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
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
