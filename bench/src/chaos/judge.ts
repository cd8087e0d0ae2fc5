import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Aftermath, Check } from './check.ts';
import { checkCheckpoints } from './check-checkpoints.ts';
import { checkDelivery } from './check-delivery.ts';
import { checkNumbers, checkShownEvents, readLogs } from './check-events.ts';
import { checkConversations, checkUsage } from './check-models.ts';
import { checkEnds, checkMessages, checkSteps } from './check-sessions.ts';
import { checkTakeovers, factOfAttempts, type Disturbances } from './pauses.ts';
import { checkRecovery } from './recovery.ts';
import { factsOfConversations, factsOfRecovery, factsOfRounds, factsOfSteps, type Fact } from './report.ts';
import type { Round } from './rounds.ts';
import { followLate } from './session.ts';

/** Compares everything that clients were shown and promised with the final state, and stores both as evidence. */
export async function judge(
  run: Omit<Aftermath, 'logs'> & { rounds: readonly Round[]; disturbances?: Disturbances },
): Promise<{ checks: Check[]; facts: Fact[] }> {
  const { installation, sessions, rounds, disturbances } = run;
  const logs = await readLogs(installation.client, sessions);
  for (const session of sessions) await followLate(installation.client, session, logs.get(session.id)?.length ?? 0);
  const aftermath = { ...run, logs };
  const evidence = { rounds, sessions, logs: Object.fromEntries(logs) };
  writeFileSync(join(installation.directory, 'evidence.json'), JSON.stringify(evidence));
  const { checks: deliveries, delivered } = await checkDelivery(aftermath);
  const steps = checkSteps(aftermath, delivered);
  const conversations = await checkConversations(aftermath, delivered);
  const recovery = checkRecovery(aftermath, rounds);
  const checks = [
    checkShownEvents(aftermath),
    checkNumbers(aftermath),
    await checkCheckpoints(aftermath),
    ...deliveries,
    checkEnds(aftermath, delivered),
    await checkMessages(aftermath, delivered),
    steps.check,
    ...conversations.checks,
    checkUsage(aftermath, delivered),
    ...(disturbances === undefined ? [recovery.check] : [checkTakeovers(aftermath, disturbances)]),
    checkProcesses(aftermath),
  ];
  const facts = [
    ...(disturbances === undefined
      ? [...factsOfRounds(rounds), ...factsOfRecovery(recovery)]
      : [factOfAttempts(aftermath)]),
    ...factsOfSteps(steps),
    ...factsOfConversations(conversations),
  ];
  return { checks, facts };
}

/** Checks that no process ended because it lost the database or another process. */
function checkProcesses({ installation }: Aftermath): Check {
  const members = [installation.api, ...installation.workers];
  const violations = members.flatMap(({ surprises }) => surprises);
  const figure = String(violations.length);
  return { what: 'processes that ended unexpectedly', figure, violations };
}
