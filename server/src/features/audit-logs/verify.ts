import type { Context } from '../../app/context.ts';
import { hashOfLink } from './canonical.ts';
import { findUnlinked, readCensus, readHeads, readLinkedId, readLinks, type StoredLink } from './chain-store.ts';

/** The reasons for a broken chain, as the API names them. */
export const breakReasons = [
  /** The entry or its link was changed after it was linked. */
  'hash_mismatch',
  /** The link does not contain the hash of the previous one: links were exchanged, or one was replaced. */
  'prev_hash_mismatch',
  /** The link exists, but its entry does not. */
  'entry_missing',
  /** A number between the first and the last link is missing. */
  'link_missing',
  /** An entry has no link, although it was linked or should have been. */
  'entry_not_linked',
  /** The chain does not match its head. */
  'head_mismatch',
] as const;

interface ChainBreak {
  /** 0 for an entry without a link. */
  seq: number;
  id: string;
  reason: (typeof breakReasons)[number];
}

interface Verification {
  valid: boolean;
  /** The number of recomputed links. */
  checked: number;
  /** The number of entries that are not linked yet. */
  pending: number;
  first_break: ChainBreak | null;
}

const batch = 4_000;
/** Batches that are read ahead: the database works on the next ones while this process hashes. */
const ahead = 2;

/** Creates a verifier; concurrent requests for the same organization share one verification. */
export function createVerifier(ctx: Pick<Context, 'db'>): (orgId: string) => Promise<Verification> {
  const running = new Map<string, Promise<Verification>>();
  return async (orgId) => {
    const known = running.get(orgId);
    if (known !== undefined) return known;
    const verification = verifyChain(ctx, orgId).finally(() => running.delete(orgId));
    running.set(orgId, verification);
    return verification;
  };
}

/** Recomputes an organization's whole chain from the stored entries, in constant memory. */
async function verifyChain(ctx: Pick<Context, 'db'>, orgId: string): Promise<Verification> {
  const [head] = await readHeads(ctx.db.kysely, [orgId]);
  const last = head?.seq ?? 0;
  let position = { seq: 0, hash: '' };
  let found: ChainBreak | undefined;
  for await (const links of batches(ctx, orgId, last)) {
    const result = checkLinks(links, position);
    position = result.position;
    found = result.found;
    if (found !== undefined) break;
  }
  if (found !== undefined && found.reason !== 'link_missing')
    found = { ...found, id: await readLinkedId(ctx.db.kysely, orgId, found.seq) };
  const census = await readCensus(ctx.db.kysely, orgId);
  if (found === undefined && position.seq < last) found = { seq: position.seq + 1, id: '', reason: 'link_missing' };
  if (found === undefined && (position.hash !== (head?.hash ?? '') || census.beyond > 0))
    found = { seq: last, id: '', reason: 'head_mismatch' };
  // Each link has its own entry, so the difference is the number of entries without a link.
  if (found === undefined && census.entries !== census.links + census.pending)
    found = { seq: 0, id: await findUnlinked(ctx.db.kysely, orgId), reason: 'entry_not_linked' };
  return {
    valid: found === undefined,
    checked: position.seq,
    pending: census.pending,
    first_break: found ?? null,
  };
}

/** Yields the chain up to `last`, in batches. */
async function* batches(ctx: Pick<Context, 'db'>, orgId: string, last: number): AsyncGenerator<StoredLink[]> {
  const read = (after: number) => {
    const links = readLinks(ctx.db, orgId, after, Math.min(last, after + batch));
    // Not awaited if the consumer stops early.
    links.catch(() => undefined);
    return links;
  };
  const reading: Promise<StoredLink[]>[] = [];
  let next = 0;
  for (;;) {
    while (reading.length < ahead && next < last) {
      reading.push(read(next));
      next += batch;
    }
    const links = reading.shift();
    if (links === undefined) return;
    yield await links;
  }
}

function checkLinks(links: readonly StoredLink[], before: { seq: number; hash: string }) {
  let position = before;
  for (const link of links) {
    const found = breakAt(link, position);
    if (found !== undefined) return { position, found };
    position = { seq: link.seq, hash: link.hash };
  }
  return { position, found: undefined };
}

/** The `id` must still be looked up. */
function breakAt(
  { seq, entry, prevHash, hash }: StoredLink,
  before: { seq: number; hash: string },
): ChainBreak | undefined {
  if (seq !== before.seq + 1) return { seq: before.seq + 1, id: '', reason: 'link_missing' };
  if (entry === undefined) return { seq, id: '', reason: 'entry_missing' };
  if (hashOfLink(entry, seq, prevHash) !== hash) return { seq, id: '', reason: 'hash_mismatch' };
  if (prevHash !== before.hash) return { seq, id: '', reason: 'prev_hash_mismatch' };
  return undefined;
}
