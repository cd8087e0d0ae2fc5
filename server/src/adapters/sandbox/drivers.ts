import type { Log } from '../../lib/log.ts';
import type { SandboxDriver } from './port.ts';

export interface SandboxDriverOptions {
  /** The driver's directory, on a local file system. */
  readonly root: string;
  readonly log: Log;
  /** The operator's environment, with drivers' own settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Create = (options: SandboxDriverOptions) => Promise<SandboxDriver>;

/** Drivers by name; only the chosen one is loaded. */
const drivers = new Map<string, Create>([
  ['bubblewrap', async (options) => (await import('./bubblewrap/driver.ts')).createBubblewrapDriver(local(options))],
  ['process', async (options) => (await import('./process/driver.ts')).createProcessDriver(local(options))],
]);

/** The values of `GUILDHALL_SANDBOX`; the first is the default. */
export const sandboxDriverNames: readonly string[] = [...drivers.keys()];

/** Creates one of {@link sandboxDriverNames}. Its probe reports if it works here. */
export async function createSandboxDriver(name: string, options: SandboxDriverOptions): Promise<SandboxDriver> {
  const create = drivers.get(name);
  if (create === undefined)
    throw new Error(
      `There is no sandbox driver ${JSON.stringify(name)}. Choose one of ${sandboxDriverNames.join(', ')}.`,
    );
  return create(options);
}

function local({ root, log, environment }: SandboxDriverOptions): { root: string; log: Log; path: string } {
  return { root, log, path: environment['PATH'] ?? '' };
}
