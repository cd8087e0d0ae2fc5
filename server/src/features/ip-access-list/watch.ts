import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { inRanges } from '../../lib/cidr.ts';
import type { Watch } from '../../lib/watch.ts';
import { readEntries, readGate } from './store.ts';

/**
 * Calls `ended` when the organization's IP access list no longer allows the caller's address, or the operator suspended the
 * organization, for streams that outlive their authentication. Also calls it if the state cannot be checked.
 */
export function watchAddress(
  ctx: Pick<Context, 'db' | 'notifications' | 'log'>,
  caller: Pick<AuthenticatedCaller, 'organization' | 'request'>,
  ended: () => void,
): Watch {
  const orgId = caller.organization.id;
  async function look(): Promise<void> {
    const gate = await readGate(ctx.db.kysely, orgId);
    if (gate === undefined || gate.state === 'suspended') return ended();
    if (!gate.ip_list_enabled) return;
    const entries = await readEntries(ctx.db.kysely, orgId);
    const ranges = entries.map(({ cidr }) => cidr);
    if (!inRanges(caller.request.ip, ranges)) ended();
  }
  let looked = Promise.resolve();
  const wake = (): void => {
    looked = looked.then(look).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'cannot check an IP access list');
      ended();
    });
  };
  const unsubscribe = ctx.notifications.subscribe('guildhall_ip_lists', orgId, wake);
  // The list may have changed since it allowed the request.
  wake();
  return { leave: unsubscribe, settled: () => looked };
}
