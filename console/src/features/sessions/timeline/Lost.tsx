import { useEffect, useState } from 'react';

/** Tells after some seconds that the connection is lost, and for how long. */
export function Lost({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - since) / 1_000);
  return (
    <div role="status">
      {seconds >= 3 && (
        <p className="bg-wait-soft px-4 py-0.5 text-wait">
          Reconnecting. {/* A screen reader is told once, not each second. */}
          <span aria-hidden>
            Lost for <span className="mono">{seconds}</span> s.
          </span>
        </p>
      )}
    </div>
  );
}
