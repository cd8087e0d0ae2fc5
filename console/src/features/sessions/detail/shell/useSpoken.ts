import type { Terminal } from '@xterm/headless';
import { useEffect, useRef, useState } from 'react';

/** A screen reader is told when the output rests. */
const restMs = 400;
const mostRows = 20;

/** Returns the last rows that were printed, for a screen reader, once nothing more comes. */
export function useSpoken(terminal: Terminal | undefined, version: number): string {
  const [spoken, setSpoken] = useState('');
  const from = useRef(0);
  useEffect(() => {
    if (terminal === undefined) return undefined;
    const timer = setTimeout(() => {
      const { active } = terminal.buffer;
      const end = active.baseY + active.cursorY;
      const first = Math.max(Math.min(from.current, end), end - mostRows);
      const rows = Array.from(
        { length: end - first + 1 },
        (_, at) => active.getLine(first + at)?.translateToString(true) ?? '',
      );
      from.current = end;
      setSpoken(rows.join('\n').trim());
    }, restMs);
    return () => clearTimeout(timer);
  }, [terminal, version]);
  return spoken;
}
