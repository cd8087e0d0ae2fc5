import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { PreparedSandbox, PrepareOptions, SandboxOptions } from '../port.ts';
import type { Host } from './host.ts';
import { Later } from './later.ts';
import type { Start } from './start.ts';

/** Starts a sandbox that gets its gateway and mounts when a session uses it. */
export async function prepareSandbox(
  start: Start,
  { root }: Pick<Host, 'root'>,
  options: PrepareOptions,
): Promise<PreparedSandbox> {
  const later = await Later.create(options);
  let onNotice: SandboxOptions['onNotice'];
  const { sandbox, launched } = await start({ ...options, later, onNotice: (text) => onNotice?.(text) }).catch(
    async (error: unknown) => {
      await later.remove();
      throw error;
    },
  );
  return {
    canMount: root !== undefined,
    ended: sandbox.ended,
    async use({ gateway, mounts, ...given }) {
      onNotice = given.onNotice;
      try {
        await Promise.all([later.connect(gateway), launched.mountLater(mounts)]);
        return sandbox;
      } catch (error) {
        await sandbox.destroy();
        const why = `The prepared sandbox ${options.id} cannot be used: ${messageOf(error)}`;
        throw new ProviderError(why, { retryable: true, cause: error });
      }
    },
    discard: () => sandbox.destroy(),
  };
}
