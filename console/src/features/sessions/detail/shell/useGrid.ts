import { useLayoutEffect, useState, type RefObject } from 'react';

/** The height of a row in pixels, as its class says. */
export const rowHeight = 16;
/** The space around the rows in pixels. */
export const inset = 8;
const probed = 20;
const most = 1_000;
/** A size that a person drags is told when it rests. */
const restMs = 100;

/** How many cells an element has room for, and the width of one. */
export interface Grid {
  cols: number;
  rows: number;
  cellWidth: number;
  height: number;
}

/** Measures an element in cells; `probe` shows {@link probeText} in its font. Undefined until it is measured. */
export function useGrid(element: RefObject<HTMLElement | null>, probe: RefObject<HTMLElement | null>) {
  const [grid, setGrid] = useState<Grid>();
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null || probe.current === null) return;
      const { clientWidth, clientHeight } = element.current;
      const cellWidth = probe.current.getBoundingClientRect().width / probed;
      // Out of sight.
      if (clientWidth === 0 || cellWidth === 0) return;
      const [cols, rows] = [fit((clientWidth - 2 * inset) / cellWidth), fit((clientHeight - 2 * inset) / rowHeight)];
      setGrid((now) =>
        now?.cols === cols && now.rows === rows && now.cellWidth === cellWidth && now.height === clientHeight
          ? now
          : { cols, rows, cellWidth, height: clientHeight },
      );
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(measure, restMs);
    };
    measure();
    const observer = new ResizeObserver(later);
    if (element.current !== null) observer.observe(element.current);
    // The font may come later than the page.
    void document.fonts.ready.then(later);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [element, probe]);
  return grid;
}

export const probeText = '0'.repeat(probed);

function fit(cells: number): number {
  return Math.min(most, Math.max(2, Math.floor(cells)));
}
