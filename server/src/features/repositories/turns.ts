import { createTurns } from '../../lib/turns.ts';

/** Limits imports: each takes a git process, its memory (512 MiB) and its time. */
export const importTurns = createTurns('imports', { each: 2, total: 4, waiting: 8, maxWaitMs: 5 * 60_000 });
/** Limits comparisons and merges that a client waits for. */
export const diffTurns = createTurns('comparisons', { each: 2, total: 8, waiting: 16, maxWaitMs: 60_000 });
/** Limits trial merges, of which a list of change requests needs one each. */
export const trialTurns = createTurns('comparisons', { each: 2, total: 8, waiting: 1_000, maxWaitMs: 60_000 });
/** Limits listings of branches and files: each reads the whole list of a repository. */
export const listingTurns = createTurns('listings', { each: 2, total: 4, waiting: 32, maxWaitMs: 30_000 });
