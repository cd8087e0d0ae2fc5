import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../server/src/db/pool.ts';

/** Every n-th mutation is followed until it is linked, because following each would load the database too. */
const every = 20;
const lookEveryMs = 25;
const longestMs = 30_000;

/** Follows a sample of mutations, named by their resources, from their commit to their link. */
export function measureLag(db: Database) {
  const waiting = new Map<string, number>();
  const lags: number[] = [];
  let committed = 0;
  let isOver = false;
  async function look(): Promise<void> {
    const { rows } = await db.pool.query<{ id: string }>(
      `select e.resource_id as id from audit_entries e join audit_chain c on c.entry_id = e.id
       where e.org_id = (select id from organizations where slug = 'default') and e.resource_id = any($1)`,
      [[...waiting.keys()]],
    );
    const now = performance.now();
    for (const { id } of rows) {
      const since = waiting.get(id);
      if (since !== undefined) lags.push(now - since);
      waiting.delete(id);
    }
  }
  async function follow(): Promise<void> {
    const until = (): boolean => isOver && (waiting.size === 0 || performance.now() - last > longestMs);
    while (!until()) {
      if (waiting.size > 0) await look();
      await delay(lookEveryMs);
    }
  }
  let last = performance.now();
  const following = follow();
  return {
    committed(id: string): void {
      last = performance.now();
      committed += 1;
      if (committed % every === 0) waiting.set(id, last);
    },
    /** Waits for those that are not linked yet; returns the lags in milliseconds. */
    async end(): Promise<number[]> {
      isOver = true;
      await following;
      if (waiting.size > 0) throw new Error(`${waiting.size} mutations were not linked within ${longestMs / 1_000} s`);
      return lags;
    },
  };
}
