import { useEffect, useState } from 'react';
import { ago, exactly } from '../lib/format.ts';

/** A time, relative for a day, with the exact one in its tooltip. It stays true while it is shown. */
export function Time({ at }: { at: string }) {
  const now = useNow(30_000);
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactly(date)} className="whitespace-nowrap">
      {ago(date, now)}
    </time>
  );
}

/** A time in full, for the page of a single thing: no tooltip is needed to read it. */
export function ExactTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toISOString()}>
      {exactly(date).split('\n', 1)[0]}
    </time>
  );
}

/** The current time, read again at an interval. */
function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
