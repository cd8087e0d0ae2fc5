import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { newId } from '../../lib/ids.ts';
import { closeRefusals, countRefusals, type RefusalRow } from './refusal-store.ts';

/** A request that was denied, or a change that failed with a server error; `code` is the error code of the response. */
interface Refusal {
  outcome: 'denied' | 'error';
  code: string;
}

interface RefusalRecorder {
  /** Returns at once and never throws. */
  note(caller: AuthenticatedCaller, refusal: Refusal): void;
  /** Writes all pending refusals. */
  close(): Promise<void>;
}

const minuteMs = 60_000;
/** The interval at which a process writes its refusals; a crash loses those since the last write. */
const flushEveryMs = 500;
/** A minute stays open this much longer, for refusals that other processes have not written yet. */
const graceMs = 5_000;
/** The maximum number of pending rows while the database is unavailable. */
const mostKept = 10_000;

type RefusalContext = Pick<Context, 'db' | 'clock' | 'log'>;

/**
 * Audits refusals, combined per key and minute with a count: first in memory, so that no request waits, then in one row
 * per key and minute for all processes, which becomes an entry when the minute is over.
 */
export function createRefusalRecorder(ctx: RefusalContext): RefusalRecorder {
  let noted = new Map<string, RefusalRow>();
  let writing = Promise.resolve();
  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const batch = noted;
    noted = new Map();
    try {
      await countRefusals(ctx.db, [...batch.values()]);
    } catch (error) {
      ctx.log.warn({ err: error }, 'cannot write denied requests to the audit log yet');
      for (const [name, row] of batch) add(noted, name, row);
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, flushEveryMs).unref();
  return {
    note(caller, refusal) {
      const now = ctx.clock.now();
      const minute = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs);
      const name = `${caller.credential.id} ${refusal.outcome} ${minute.getTime()}`;
      add(noted, name, rowOf(caller, refusal, minute, now));
    },
    async close() {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}

function add(noted: Map<string, RefusalRow>, name: string, row: RefusalRow): void {
  const known = noted.get(name);
  if (known === undefined) {
    if (noted.size < mostKept) noted.set(name, row);
    return;
  }
  known.count += row.count;
  for (const [code, count] of Object.entries(row.codes)) known.codes[code] = (known.codes[code] ?? 0) + count;
  if (row.last_at > known.last_at) known.last_at = row.last_at;
}

function rowOf(caller: AuthenticatedCaller, { outcome, code }: Refusal, minute: Date, now: Date): RefusalRow {
  const { principal, request } = caller;
  return {
    key_id: caller.credential.id,
    minute,
    outcome,
    id: newId('aud', now.getTime()),
    org_id: caller.organization.id,
    actor_type: principal.type,
    actor_id: principal.id,
    actor_display: principal.email === '' ? principal.name : principal.email,
    ip: request.ip,
    user_agent: request.userAgent,
    request_id: request.id,
    request: request.route ?? '',
    count: 1,
    codes: { [code]: 1 },
    created_at: now,
    last_at: now,
  };
}

/** Returns the instant before which a minute must have begun to be over. */
export function closedBefore(now: Date): Date {
  return new Date(Math.floor((now.getTime() - graceMs) / minuteMs) * minuteMs);
}

/** Turns minutes that are over into entries. */
export async function closeMinutes(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await closeRefusals(ctx.db, closedBefore(ctx.clock.now()));
}
