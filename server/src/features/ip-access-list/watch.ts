import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { inRanges } from '../../lib/cidr.ts';
import { readEnabled, readEntries } from './store.ts';

/**
 * Calls `ended` when the organization's IP access list no longer lets the caller's address in, for streams that outlive
 * the look at the list which let them in. Also when it cannot be told. Answers how to stop.
 */
export function watchAddress(
  ctx: Pick<Context, 'db' | 'notifications' | 'log'>,
  caller: Pick<Caller, 'organization' | 'request'>,
  ended: () => void,
): () => void {
  const orgId = caller.organization.id;
  async function look(): Promise<void> {
    if (!(await readEnabled(ctx.db.kysely, orgId))) return;
    const entries = await readEntries(ctx.db.kysely, orgId);
    const ranges = entries.map(({ cidr }) => cidr);
    if (!inRanges(caller.request.ip, ranges)) ended();
  }
  const wake = (): void => {
    look().catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'an IP access list could not be looked at');
      ended();
    });
  };
  const unsubscribe = ctx.notifications.subscribe('guildhall_ip_lists', orgId, wake);
  // The list may have changed since the request was let in.
  wake();
  return unsubscribe;
}
