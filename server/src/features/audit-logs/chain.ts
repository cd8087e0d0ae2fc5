import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { hashOfLink } from './canonical.ts';
import { appendLinks, hasWork, lockChain, readHeads, readPending, type Head, type NewLink } from './chain-store.ts';
import { closeMinutes, closedBefore } from './refusals.ts';

type ChainContext = Pick<Context, 'db' | 'clock' | 'log'>;

/** The interval at which a process checks for entries without a link; an entry is linked within a second. */
const pollMs = 300;
const afterFailureMs = 2_000;
const batch = 2_000;

/**
 * Links committed entries to their organizations' chains. Every process does this, one at a time. It polls instead of
 * being notified, because a notification in each mutation would serialize their commits. Returns a function that stops
 * it.
 */
export function startChainer(ctx: ChainContext): () => Promise<void> {
  const stopping = new AbortController();
  const witness = createWitness(ctx);
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const linked = await linkPending(ctx, witness);
      if (linked === batch) continue;
      const ms = linked < 0 ? afterFailureMs : pollMs;
      await delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }
  const ended = loop();
  return async () => {
    stopping.abort();
    await ended;
  };
}

type Witness = (heads: readonly Head[]) => void;

/**
 * Writes the head of a chain to the log when it first moves in an hour. Logs are stored separately from the database,
 * so they contradict a chain that someone recomputed.
 */
function createWitness({ clock, log }: ChainContext): Witness {
  const hours = new Map<string, number>();
  return (heads) => {
    const hour = Math.floor(clock.now().getTime() / 3_600_000);
    for (const { org_id, seq, hash } of heads) {
      if (hours.get(org_id) === hour) continue;
      hours.set(org_id, hour);
      log.info({ organization_id: org_id, seq, hash }, 'linked the audit log');
    }
  };
}

/** Links one batch; returns the number of linked entries, or -1 if the database is unavailable. */
async function linkPending(ctx: ChainContext, witness: Witness): Promise<number> {
  try {
    if (!(await hasWork(ctx.db, closedBefore(ctx.clock.now())))) return 0;
    await closeMinutes(ctx);
    const { count, heads } = await linkBatch(ctx, false);
    witness(heads);
    return count;
  } catch (error) {
    ctx.log.warn({ reason: messageOf(error) }, 'cannot link audit log entries');
    return -1;
  }
}

/** Links everything that was committed before the call. */
export async function linkAll(ctx: Pick<Context, 'db'>): Promise<void> {
  while ((await linkBatch(ctx, true)).count === batch);
}

/**
 * Links up to {@link batch} entries, and returns the moved heads; does nothing if another process is linking and `wait`
 * is not set.
 */
async function linkBatch(ctx: Pick<Context, 'db'>, wait: boolean): Promise<{ count: number; heads: Head[] }> {
  return ctx.db.transaction(async (trx) => {
    const pending = (await lockChain(trx, wait)) ? await readPending(trx, batch) : [];
    if (pending.length === 0) return { count: 0, heads: [] };
    const orgIds = [...new Set(pending.map(({ org_id }) => org_id))];
    const heads = new Map((await readHeads(trx, orgIds)).map((head) => [head.org_id, head]));
    const links: NewLink[] = [];
    for (const { org_id: orgId, entry_id: entryId, text } of pending) {
      if (text === null) continue;
      const { seq: last, hash: prevHash }: Head = heads.get(orgId) ?? { org_id: orgId, seq: 0, hash: '' };
      const seq = last + 1;
      const hash = hashOfLink(text.split('\n'), seq, prevHash);
      links.push({ orgId, seq, entryId, prevHash, hash });
      heads.set(orgId, { org_id: orgId, seq, hash });
    }
    const extended = new Set(links.map(({ orgId }) => orgId));
    const moved = [...heads.values()].filter(({ org_id }) => extended.has(org_id));
    const positions = pending.map(({ position }) => position);
    await appendLinks(trx, links, moved, positions);
    return { count: pending.length, heads: moved };
  });
}
