import { chmod, link, mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ProviderError } from '../../../lib/errors.ts';
import type { GatewayAddress, PrepareOptions } from '../port.ts';
import { bash, runSystem } from '../system.ts';
import { inside, type Mount } from './arguments.ts';
import { MountScript } from './mount-script.ts';

const mountWithinMs = 30_000;
const socketName = 'gateway.sock';

/** The part of a prepared sandbox that comes only when a session uses it: the gateway's socket and mounts. */
export class Later {
  readonly #directory: string;
  readonly #below: readonly string[];
  /** Directories of the sandbox's own mount namespace, one for each of `#below`. */
  #places: readonly string[] = [];

  private constructor(directory: string, below: readonly string[]) {
    this.#directory = directory;
    this.#below = below;
  }

  static async create({ gatewayDirectory, mountsBelow }: PrepareOptions): Promise<Later> {
    const directory = await mkdtemp(join(gatewayDirectory, 'sandbox-'));
    await chmod(directory, 0o755);
    return new Later(directory, mountsBelow);
  }

  /** The socket's path inside. */
  static readonly socketInside = `${inside.gatewayDirectory}/${socketName}`;

  gateway(reach: (path: string) => string): Mount {
    return { source: reach(this.#directory), target: inside.gatewayDirectory };
  }

  /** Returns the directories in which the sandbox will find its mounts. */
  mountPoints(script: MountScript): Mount[] {
    this.#places = script.mountPointsForLater(this.#below.length);
    return this.#places.map((source, index) => ({ source, target: this.#below[index] ?? '' }));
  }

  /** Lets the sandbox connect to a gateway's socket. */
  async connect(gateway: GatewayAddress): Promise<void> {
    if (!('socket' in gateway))
      throw new ProviderError('a prepared sandbox can reach the gateway only by a socket', { retryable: false });
    await chmod(gateway.socket, 0o666);
    await link(gateway.socket, join(this.#directory, socketName));
  }

  /** Mounts directories in the sandbox, at the paths that they have here. `pid`: a process in the namespace of its mounts. */
  async mount(paths: readonly string[], { pid, mountRoot }: { pid: number; mountRoot: string }): Promise<void> {
    if (paths.length === 0) return;
    const script = MountScript.forRunningSandbox(mountRoot);
    for (const path of paths) script.mountLater(path, this.#placeOf(path));
    await runSystem(['nsenter', `--target=${pid}`, '--mount', '--', ...bash, script.buildMounts()], mountWithinMs);
  }

  #placeOf(path: string): string {
    const index = this.#below.findIndex((directory) => path.startsWith(`${directory}/`));
    const [directory, place] = [this.#below[index], this.#places[index]];
    if (directory === undefined || place === undefined)
      throw new ProviderError(`${path} cannot be mounted in a prepared sandbox`, { retryable: false });
    return join(place, relative(directory, path));
  }

  /** Removes its files. */
  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
  }
}
