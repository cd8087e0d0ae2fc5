import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { inRanges } from '../../lib/cidr.ts';
import { createSharedRead } from '../../lib/shared-reads.ts';
import type { Watch } from '../../lib/watch.ts';
import { readEntries, readGate } from './store.ts';

const shareGate = createSharedRead<Awaited<ReturnType<typeof readGate>>>();
const shareEntries = createSharedRead<Awaited<ReturnType<typeof readEntries>>>();

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
    const gate = await shareGate(ctx.db, orgId, () => readGate(ctx.db.kysely, orgId));
    if (gate === undefined || gate.state === 'suspended') return ended();
    if (!gate.ip_list_enabled) return;
    const entries = await shareEntries(ctx.db, orgId, () => readEntries(ctx.db.kysely, orgId));
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
