import type { Log } from '../../lib/log.ts';
import type { SandboxDriver } from './port.ts';

export interface SandboxDriverOptions {
  /** A directory of the driver's own, on a local file system. */
  readonly root: string;
  readonly log: Log;
  /** The operator's, where a driver finds settings of its own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Create = (options: SandboxDriverOptions) => Promise<SandboxDriver>;

/** The drivers by name; one that is not chosen is not loaded. */
const drivers = new Map<string, Create>([
  ['bubblewrap', async (options) => (await import('./bubblewrap/driver.ts')).createBubblewrapDriver(local(options))],
  ['process', async (options) => (await import('./process/driver.ts')).createProcessDriver(local(options))],
]);

/** The values of `GUILDHALL_SANDBOX`; the first is the default. */
export const sandboxDriverNames: readonly string[] = [...drivers.keys()];

/** Makes the driver of one of {@link sandboxDriverNames}. Whether it works here, its probe says. */
export async function createSandboxDriver(name: string, options: SandboxDriverOptions): Promise<SandboxDriver> {
  const create = drivers.get(name);
  if (create === undefined)
    throw new Error(
      `there is no sandbox driver ${JSON.stringify(name)}: choose one of ${sandboxDriverNames.join(', ')}`,
    );
  return create(options);
}

function local({ root, log, environment }: SandboxDriverOptions): { root: string; log: Log; path: string } {
  return { root, log, path: environment['PATH'] ?? '' };
}
