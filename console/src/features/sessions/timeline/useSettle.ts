import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef } from 'react';

/** Frames without a change after which a position is taken as final, and the most of them. */
const calmFrames = 6;
const mostFrames = 90;

/** Brings a row to an offset from the top, and holds it there until the rows around it have their true heights. */
export function useSettle() {
  const frame = useRef<number | undefined>(undefined);
  const stop = useCallback(() => {
    if (frame.current !== undefined) cancelAnimationFrame(frame.current);
    frame.current = undefined;
  }, []);
  useEffect(() => stop, [stop]);
  const settle = useCallback(
    (rows: Virtualizer<HTMLDivElement, Element>, key: string, offset: number) => {
      stop();
      let calm = 0;
      let frames = 0;
      let last = Number.NaN;
      const step = () => {
        const start = rows.measurementsCache.find((item) => item.key === key)?.start;
        if (start === undefined) return;
        calm = start === last ? calm + 1 : 0;
        frames += 1;
        if (start !== last) rows.scrollToOffset(Math.max(0, start + offset));
        last = start;
        frame.current = calm < calmFrames && frames < mostFrames ? requestAnimationFrame(step) : undefined;
      };
      step();
    },
    [stop],
  );
  return { settle, stop };
}
