import { useEffect, useState } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { duration } from '../../../../lib/format.ts';

/** How long the session has taken; it ticks while the session works. */
export function Clock({ session: { status, started_at: start, ended_at: end } }: { session: Session }) {
  const isWorking = status === 'running' || status === 'provisioning';
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isWorking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWorking]);
  if (start === null || (end === null && !isWorking)) return null;
  const until = end === null ? now : Date.parse(end);
  return <span className="mono text-ink-3">{duration(until - Date.parse(start))}</span>;
}
