import type { Context } from '../../app/context.ts';
import { rangesOf } from '../../lib/cidr.ts';
import { AppError } from '../../lib/errors.ts';
import { readEntries } from './store.ts';

/** Accepts an address, or throws 403 `ip_not_allowed`, by the organization's list of this revision. */
export type AddressGuard = (orgId: string, revision: number, ip: string) => Promise<void>;

/** Number of cached lists; the most recently used ones are kept. */
const keptLists = 1_000;

/**
 * Caches the enabled lists. Every request reads its list's revision together with its key, so that a change takes effect at once
 * on every process, and a list is read only after a change.
 */
export function createAddressGuard(ctx: Pick<Context, 'db'>): AddressGuard {
  const copies = new Map<string, { revision: number; holds: Promise<(address: string) => boolean> }>();
  function read(orgId: string, revision: number): Promise<(address: string) => boolean> {
    const known = copies.get(orgId);
    if (known?.revision === revision) return known.holds;
    // The entries belong to this revision or a later one, which the next request asks for.
    const holds = readEntries(ctx.db.kysely, orgId).then((entries) => rangesOf(entries.map(({ cidr }) => cidr)));
    const copy = { revision, holds };
    copies.delete(orgId);
    copies.set(orgId, copy);
    for (const oldest of copies.keys()) {
      if (copies.size <= keptLists) break;
      copies.delete(oldest);
    }
    holds.catch(() => {
      if (copies.get(orgId) === copy) copies.delete(orgId);
    });
    return holds;
  }
  return async (orgId, revision, ip) => {
    const holds = await read(orgId, revision);
    if (!holds(ip))
      throw new AppError(
        'ip_not_allowed',
        `The organization's IP access list does not allow ${ip}. Ask an administrator to add it.`,
      );
  };
}
