import { useEffect, useState } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { isWorking, workedOf } from '../../worked.ts';

/** How long the session has worked; it ticks while that is known. */
export function Clock({ session }: { session: Session }) {
  const ticks = isWorking(session);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [ticks]);
  const worked = workedOf(session, now);
  return (
    worked && (
      <span className="mono text-ink-3" title={worked.title}>
        {worked.text}
      </span>
    )
  );
}
