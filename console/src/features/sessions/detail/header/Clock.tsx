import { useEffect, useState } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { isWorking, workedOf } from '../../worked.ts';

/** How long the session has worked; it ticks while it works. */
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
    worked !== undefined && (
      <span className="mono text-ink-3" title="Time that it worked">
        {worked}
      </span>
    )
  );
}
