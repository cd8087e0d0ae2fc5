import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { toThousandth } from '../../../lib/rounded.ts';
import type { Insights } from '../schemas/insight-schemas.ts';
import {
  hasMoreEvents,
  readChangedFiles,
  readCommands,
  readMessages,
  readPhaseRuns,
  readTimes,
  readTools,
  readWarnings,
} from '../store/insight-store.ts';
import { requireStreamState } from './event-service.ts';
import { observationsOf } from './observations.ts';
import { requireSession } from './service.ts';

type Phases = Insights['phases'];

/** Returns what a session's log tells about how it went. Throws 404 `session_not_found`. */
export async function sessionInsights(ctx: Pick<Context, 'db'>, caller: Actor, sessionId: string): Promise<Insights> {
  const orgId = caller.organization.id;
  const session = await requireSession(ctx, orgId, sessionId);
  const { last_seq: lastSeq, first_seq: firstSeq } = await requireStreamState(ctx, caller, sessionId);
  const place = { orgId, sessionId, lastSeq };
  const [times, said, runs, tools, ranked, files, warnings, isMore] = await Promise.all([
    readTimes(ctx.db, place),
    readMessages(ctx.db, place),
    readPhaseRuns(ctx.db, place),
    readTools(ctx.db, place),
    readCommands(ctx.db, place),
    readChangedFiles(ctx.db, place),
    readWarnings(ctx.db, place),
    hasMoreEvents(ctx.db, place),
  ]);
  const secondsIn = (status: string): number =>
    toThousandth(times.find((time) => time.status === status)?.seconds ?? 0);
  const countOf = (role: string): number => said.find((one) => one.role === role)?.count ?? 0;
  const [totals] = ranked;
  const insights = {
    time: {
      queued_seconds: secondsIn('queued'),
      provisioning_seconds: secondsIn('provisioning'),
      working_seconds: secondsIn('running'),
      waiting_seconds: secondsIn('waiting'),
      suspended_seconds: secondsIn('suspended'),
    },
    turns: session.turn,
    rounds: session.round,
    attempts: session.attempt_no,
    messages: { user: countOf('user'), agent: countOf('agent'), platform: countOf('platform') },
    phases: phasesOf(runs),
    tools,
    commands: {
      runs: totals?.all_runs ?? 0,
      failed: totals?.all_failures ?? 0,
      seconds: toThousandth(totals?.all_seconds ?? 0),
      slowest: ranked
        .filter(({ slow }) => slow <= 5)
        .map(({ command, longest, exit_code, longest_seq: seq }) => ({
          command,
          seconds: toThousandth(longest),
          exit_code,
          seq,
        })),
      repeated_failures: ranked
        .filter(({ failures }) => failures > 1)
        .toSorted((a, b) => b.failures - a.failures)
        .map(({ command, failures, last_failed }) => ({ command, failures, last_seq: last_failed ?? 0 })),
    },
    files,
    warnings,
    complete: !isMore && firstSeq <= 1,
  };
  return { ...insights, observations: observationsOf(insights, runs) };
}

function phasesOf(runs: Awaited<ReturnType<typeof readPhaseRuns>>): Phases {
  return (['reproduce', 'implement', 'verify', 'deliver'] as const).flatMap((name) => {
    const found = runs.find((run) => run.name === name);
    if (found === undefined) return [];
    return [{ name, runs: found.runs, failed: found.failed, seconds: toThousandth(found.seconds) }];
  });
}
