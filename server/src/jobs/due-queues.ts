import type { Db } from 'pg-boss';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { createWakeup } from '../lib/wakeup.ts';
import type { Consumer } from './consumer.ts';

/** Notifications come for jobs that are runnable at once; delayed ones, retries and a lost notification wait for this. */
const lookEveryMs = 2_000;

const due = `
  select wanted.name from unnest($1::text[]) wanted (name)
  where exists (
    select from pgboss.job where name = wanted.name and state < 'active' and not blocked and start_after <= now())`;

/** Wakes the consumers of queues with due jobs: one statement for all, instead of a fetch for each. Returns how to stop. */
export function wakeDueQueues(
  db: Pick<Db, 'executeSql'>,
  consumers: ReadonlyMap<string, Pick<Consumer, 'wake'>>,
  log: Log,
): () => Promise<void> {
  const wakeup = createWakeup();
  let stopped = false;
  async function loop(): Promise<void> {
    for (;;) {
      await wakeup.wait(lookEveryMs);
      if (stopped) return;
      try {
        const { rows }: { rows: { name: string }[] } = await db.executeSql(due, [[...consumers.keys()]]);
        for (const { name } of rows) consumers.get(name)?.wake();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'the due jobs could not be looked for');
      }
    }
  }
  const ended = loop();
  return () => {
    stopped = true;
    wakeup.notify();
    return ended;
  };
}
