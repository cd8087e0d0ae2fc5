import type { Context } from '../../app/context.ts';
import { hashOfLink } from './canonical.ts';
import { findUnlinked, readCensus, readHeads, readLinkedId, readLinks, type StoredLink } from './chain-store.ts';

/** Why a chain does not hold, in the words of the API. */
export const breakReasons = [
  /** The entry is not what it was when it was linked, or its link is not. */
  'hash_mismatch',
  /** The link does not name the hash of the one before: links were exchanged, or one was replaced. */
  'prev_hash_mismatch',
  /** The link is there, its entry is not. */
  'entry_missing',
  /** A number between the first and the last has no link. */
  'link_missing',
  /** An entry that was linked, or should have been, has no link. */
  'entry_not_linked',
  /** The chain is not the one that its head was written for. */
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
  /** How many links were recomputed. */
  checked: number;
  /** How many entries wait for their link. */
  pending: number;
  first_break: ChainBreak | null;
}

const batch = 4_000;
/** Batches read at once: the database works on the next ones while this process hashes. */
const ahead = 2;

/** Verifies chains; whoever asks while an organization's chain is being verified gets that answer too. */
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
  // Each link has an entry of its own: as many are without one as the numbers differ.
  if (found === undefined && census.entries !== census.links + census.pending)
    found = { seq: 0, id: await findUnlinked(ctx.db.kysely, orgId), reason: 'entry_not_linked' };
  return {
    valid: found === undefined,
    checked: position.seq,
    pending: census.pending,
    first_break: found ?? null,
  };
}

/** The chain up to `last`, batch by batch. */
async function* batches(ctx: Pick<Context, 'db'>, orgId: string, last: number): AsyncGenerator<StoredLink[]> {
  const read = (after: number) => {
    const links = readLinks(ctx.db, orgId, after, Math.min(last, after + batch));
    // Whoever stops early does not wait for it.
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

/** Its `id` is still to be looked up. */
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
