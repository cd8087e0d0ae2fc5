import { shiftWords, timesIn } from '../zone.ts';

/** The next times of a schedule as its zone's clocks show them, and where those are changed. */
export function NextTimes({ timezone, times }: { timezone: string; times: readonly string[] | undefined }) {
  if (times === undefined) return <p className="h-30 text-ink-3">Looking for its next times …</p>;
  return (
    <ol aria-label="Next times" className="flex flex-col">
      {timesIn(timezone, times).map(({ at, local, offset, shiftMinutes }) => (
        <li key={at} className="flex min-h-6 flex-wrap items-center gap-x-3">
          <time dateTime={at} className="mono">
            {local}
          </time>
          <span className="mono text-ink-3">{offset}</span>
          {shiftMinutes !== 0 && (
            <span className="rounded-chip bg-wait-soft px-1.5 text-meta text-wait">{shiftWords(shiftMinutes)}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
