import { useEffect, useState } from 'react';

/** Rows of the height that the content will have; shows nothing for the first 200 ms. */
export function SkeletonRows({ rows, height }: { rows: number; height: number }) {
  const elapsed = useElapsed([200, 4_000]);
  if (elapsed === 0) return null;
  return (
    <div aria-busy="true">
      {elapsed === 2 && <p className="px-4 py-2 text-ink-3">Still loading …</p>}
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="flex items-center border-b border-line px-4" style={{ height }}>
          <div className="h-2 rounded-chip bg-sunken" style={{ width: `${30 + ((at * 37) % 50)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** Returns how many of the times have passed since the component was shown. */
function useElapsed(timesMs: readonly number[]): number {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const timers = timesMs.map((ms, at) => setTimeout(() => setPassed(at + 1), ms));
    return () => timers.forEach(clearTimeout);
    // The times are constants of the caller.
  }, []);
  return passed;
}
