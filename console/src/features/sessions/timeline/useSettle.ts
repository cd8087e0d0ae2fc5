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
      const step = () => {
        const start = rows.measurementsCache.find((item) => item.key === key)?.start;
        const element = rows.scrollElement;
        if (start === undefined || element === null) return;
        const most = Math.max(0, rows.getTotalSize() - element.clientHeight);
        const wanted = Math.min(most, Math.max(0, start + offset));
        // Rows that are measured meanwhile move the start, and the position as well.
        const isThere = Math.abs((rows.scrollOffset ?? 0) - wanted) < 0.5;
        if (!isThere) rows.scrollToOffset(wanted);
        calm = isThere ? calm + 1 : 0;
        frames += 1;
        frame.current = calm < calmFrames && frames < mostFrames ? requestAnimationFrame(step) : undefined;
      };
      step();
    },
    [stop],
  );
  return { settle, stop };
}
