import type { RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { recordInEachOrganization } from './record.ts';

interface Failure {
  userId: string;
  facts: RequestFacts;
  count: number;
}

/** Audits failed sign-ins: those of a user from one address within a while become one entry with a count. */
export interface FailureRecorder {
  /** Takes constant time, so that it does not reveal if the account exists. */
  note(userId: string, facts: RequestFacts): void;
  /** Writes pending entries. */
  close(): Promise<void>;
}

const collectMs = 30_000;

type FailureContext = Pick<Context, 'db' | 'clock' | 'log'>;

const recorders = new WeakMap<FailureContext, FailureRecorder>();

/** Returns the recorder of this process; all ways to give a password count together. */
export function failuresOf(ctx: FailureContext): FailureRecorder {
  const recorder = recorders.get(ctx) ?? createFailureRecorder(ctx);
  recorders.set(ctx, recorder);
  return recorder;
}

function createFailureRecorder(ctx: FailureContext): FailureRecorder {
  let failures = new Map<string, Failure>();
  async function write(): Promise<void> {
    const batch = failures;
    failures = new Map();
    for (const { userId, facts, count } of batch.values())
      await ctx.db
        .transaction((trx) =>
          recordInEachOrganization(trx, {
            userId,
            facts,
            action: 'sign_in.fail',
            outcome: 'denied',
            changes: { method: 'password', count },
            now: ctx.clock.now(),
          }),
        )
        .catch((error: unknown) => ctx.log.warn({ err: error }, 'cannot audit a failed sign-in'));
  }
  const timer = setInterval(() => void write(), collectMs).unref();
  return {
    note(userId, facts) {
      const name = `${userId} ${facts.ip}`;
      const known = failures.get(name);
      if (known !== undefined) known.count += 1;
      else if (failures.size < 10_000) failures.set(name, { userId, facts, count: 1 });
    },
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}
