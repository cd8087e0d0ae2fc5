import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { becomeOwner, type Owner } from './ownership.ts';
import { removeTree } from './system.ts';

/**
 * The sandboxes' directories below a driver's root. A running sandbox is claimed by its worker; a stopped one is unclaimed, and
 * its files stay until it is created again or removed.
 */
export interface SandboxDirectories {
  owner(): Promise<Owner>;
  /** Claims a sandbox and creates its directory. Throws if a living worker holds it. */
  open(id: string): Promise<{ directory: string; fresh: boolean }>;
  /** Gives up the claim of a stopped sandbox; its files stay. */
  close(id: string): Promise<void>;
  /**
   * Removes the files of a claimed sandbox that has ended, and only then gives up its claim: the claim tells a later worker of
   * what a crash leaves. Never rejects.
   */
  removeClaimed(id: string): Promise<void>;
  /** Removes the files of a stopped sandbox; never rejects. */
  remove(id: string): Promise<void>;
  /** Removes the sandboxes of dead workers, after `cleanUp` of each, and returns their number. */
  sweep(cleanUp: (id: string) => Promise<void>): Promise<number>;
}

/** Names of files, control groups and mount points. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

export function createSandboxDirectories(root: string, log: Log): SandboxDirectories {
  const claims = join(root, 'claims');
  const directoryOf = (id: string) => join(root, 'sandboxes', id);
  let becoming: Promise<Owner> | undefined;
  const owner = (): Promise<Owner> => {
    becoming ??= becomeOwner(join(root, 'owners'));
    return becoming;
  };

  async function removeClaimed(id: string): Promise<void> {
    try {
      await removeTree(directoryOf(id));
      await (await owner()).release(claims, id);
    } catch (error) {
      log.warn({ sandbox: id, error: messageOf(error) }, 'failed to remove the files of a sandbox');
    }
  }

  return {
    owner,
    async open(id) {
      if (!idPattern.test(id))
        throw new ProviderError(`${JSON.stringify(id)} cannot name a sandbox`, { retryable: false });
      if (!(await (await owner()).claim(claims, id, null))) {
        throw new ProviderError(`the sandbox ${id} is already running`, { retryable: true });
      }
      const directory = directoryOf(id);
      const fresh = (await stat(directory).catch(() => undefined)) === undefined;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return { directory, fresh };
    },
    close: async (id) => (await owner()).release(claims, id),
    removeClaimed,
    async remove(id) {
      try {
        if (!idPattern.test(id) || !(await (await owner()).claim(claims, id, null))) {
          log.warn({ sandbox: id }, 'another worker runs this sandbox; its files stay');
          return;
        }
      } catch (error) {
        log.warn({ sandbox: id, error: messageOf(error) }, 'failed to claim a sandbox; its files stay');
        return;
      }
      await removeClaimed(id);
    },
    async sweep(cleanUp) {
      const me = await owner();
      const adopted = await me.adopt(claims);
      for (const { name } of adopted) {
        await cleanUp(name);
        await removeTree(directoryOf(name));
        await me.release(claims, name);
      }
      return adopted.length;
    },
  };
}
