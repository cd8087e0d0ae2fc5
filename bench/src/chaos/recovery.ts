import type { SessionEvent } from '@guildhall/client';
import type { Aftermath, Check } from './check.ts';
import type { Installation } from './installation.ts';
import type { UpTime } from './member.ts';
import type { Round } from './rounds.ts';

/** The time from a kill to the first event of an affected session that another attempt wrote. */
interface Recovery {
  session: string;
  seconds: number;
  /** Until its agent could work again; undefined if that attempt never came so far. */
  readySeconds: number | undefined;
  /** True if another worker, and the database, were up all the time, and no further kill met the session. */
  undisturbed: boolean;
}

const allowedSeconds = 15;

/** Checks how fast sessions continued on another worker, and that this was fast enough if nothing else was down. */
export function checkRecovery(aftermath: Aftermath, rounds: readonly Round[]) {
  const recoveries = rounds.flatMap((round) => recoveriesOf(aftermath, round));
  const undisturbed = recoveries.filter((recovery) => recovery.undisturbed);
  const violations = undisturbed
    .filter(({ seconds }) => seconds > allowedSeconds)
    .map(({ session, seconds }) => `${session} continued after ${seconds.toFixed(1)} s`);
  const check: Check = {
    what: `recoveries after more than ${allowedSeconds} s with another worker up`,
    figure: `${violations.length} of ${undisturbed.length}`,
    violations,
  };
  const seconds = (of: readonly Recovery[]): Spread => spread(of.map((recovery) => recovery.seconds));
  const ready = spread(undisturbed.flatMap(({ readySeconds }) => readySeconds ?? []));
  return { check, undisturbed: seconds(undisturbed), ready, all: seconds(recoveries) };
}

export interface Spread {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

function spread(all: readonly number[]): Spread {
  const seconds = all.toSorted((a, b) => a - b);
  const at = (part: number): number => seconds[Math.min(seconds.length - 1, Math.floor(seconds.length * part))] ?? 0;
  return { count: seconds.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function recoveriesOf({ installation, logs }: Aftermath, { at, killed, hits }: Round): Recovery[] {
  return hits.flatMap(({ session, attempt }) => {
    const next = logs.get(session)?.find((event) => event.attempt_no > attempt);
    // It ended just before the kill.
    if (next === undefined) return [];
    const back = Date.parse(next.created_at);
    // A worker that took the session over may be killed before it writes anything.
    const metAgain = next.attempt_no > attempt + 1;
    const undisturbed = !metAgain && isUndisturbed(installation, killed, at, back);
    const ready = logs.get(session)?.find((event) => event.attempt_no === next.attempt_no && isReady(event));
    const readySeconds = ready === undefined ? undefined : (Date.parse(ready.created_at) - at) / 1_000;
    return [{ session, seconds: (back - at) / 1_000, readySeconds, undisturbed }];
  });
}

/** Returns true if the agent's sandbox is restored. */
function isReady(event: SessionEvent): boolean {
  return event.kind === 'status' && event.data.sandbox_state === 'ready';
}

function isUndisturbed(
  { workers, postgres }: Installation,
  killed: readonly string[],
  at: number,
  back: number,
): boolean {
  const covers = ({ from, to }: UpTime): boolean => from <= at && to >= back;
  const helped = workers.some(({ name, upTimes }) => !killed.includes(name) && upTimes.some(covers));
  return helped && postgres.downTimes.every(({ from, to }) => to < at || from > back);
}
