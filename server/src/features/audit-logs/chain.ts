import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { hashOfLink } from './canonical.ts';
import { appendLinks, hasWork, lockChain, readHeads, readPending, type Head, type NewLink } from './chain-store.ts';
import { closeMinutes, closedBefore } from './refusals.ts';

type ChainContext = Pick<Context, 'db' | 'clock' | 'log'>;

/** How often a process looks for entries without a link; an entry has its link within a second. */
const lookEveryMs = 300;
const afterFailureMs = 2_000;
const batch = 2_000;

/**
 * Links committed entries to their organizations' chains. Every process does so, one at a time: it looks often instead of
 * being notified, because a notification in each mutation would make their commits wait for each other. Answers how to stop.
 */
export function startChainer(ctx: ChainContext): () => Promise<void> {
  const stopping = new AbortController();
  const witness = createWitness(ctx);
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const linked = await look(ctx, witness);
      if (linked === batch) continue;
      const ms = linked < 0 ? afterFailureMs : lookEveryMs;
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
 * Writes the head of a chain to the log, the first that moves in an hour. Logs are kept apart from the database, so a chain that
 * somebody computed anew does not agree with them.
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

/** One look: how many entries it linked; -1 when the database could not be asked. */
async function look(ctx: ChainContext, witness: Witness): Promise<number> {
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

/** Links up to {@link batch} entries, and answers the heads it moved; nothing when another process is at it and `wait` is not set. */
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
