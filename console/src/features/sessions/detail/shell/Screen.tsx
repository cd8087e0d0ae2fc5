import type { Terminal } from '@xterm/headless';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { Input } from './Input.tsx';
import { Rows } from './Rows.tsx';
import type { Shell, ShellState } from './shell.ts';
import { inset, probeText, rowHeight, useGrid } from './useGrid.ts';

interface Props {
  shell: Shell;
  state: ShellState;
  field: RefObject<HTMLTextAreaElement | null>;
  describedBy: string;
  leave: () => void;
}

/** Rows above and below those in view that are drawn as well. */
const spare = 4;

/** What the terminal shows, with a bounded part of what it showed before; only the rows in view are in the page. */
export function Screen({ shell, state, field, describedBy, leave }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const grid = useGrid(scroller, probe);
  const [top, setTop] = useState(0);
  const [isAtEnd, setAtEnd] = useState(true);
  const [hasFocus, setFocus] = useState(false);
  const { terminal } = shell;
  const { phase } = state;
  const [cols, rows] = [grid?.cols, grid?.rows];
  useEffect(() => {
    if (cols === undefined || rows === undefined) return;
    if (phase === 'new') void shell.open(cols, rows);
    else shell.resize(cols, rows);
  }, [shell, phase, cols, rows]);
  // After every drawing: rows may have come without a change of the state.
  useLayoutEffect(() => {
    const { current } = scroller;
    if (isAtEnd && current !== null) current.scrollTop = current.scrollHeight;
  });
  const onScroll = () => {
    const { current } = scroller;
    if (current === null) return;
    setTop(current.scrollTop);
    setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < rowHeight);
  };
  const { length, cursor } = placesOf(terminal);
  const inView = grid === undefined ? 0 : Math.ceil(grid.height / rowHeight);
  const first = Math.max(0, (isAtEnd ? length - inView : Math.floor((top - inset) / rowHeight)) - spare);
  const end = Math.min(length, isAtEnd ? length : first + inView + 2 * spare);
  return (
    // A click anywhere leads to the field, as in any terminal; by keyboard one gets there as to any field.
    <div
      ref={scroller}
      role="presentation"
      onScroll={onScroll}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) field.current?.focus({ preventScroll: true });
      }}
      className="relative min-h-0 flex-1 cursor-text overflow-x-hidden overflow-y-auto bg-sunken font-mono text-meta [overflow-anchor:none] has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:-outline-offset-2 has-[textarea:focus-visible]:outline-accent"
    >
      <span ref={probe} aria-hidden className="invisible absolute whitespace-pre">
        {probeText}
      </span>
      {/* The field is as high as a thumb needs, which adds nothing to scroll to. */}
      <div className="relative overflow-clip" style={{ height: 2 * inset + length * rowHeight }}>
        {terminal !== undefined && grid !== undefined && (
          <Rows
            terminal={terminal}
            first={first}
            end={end}
            cellWidth={grid.cellWidth}
            cursor={shell.hasCursor && phase === 'open' ? cursor : undefined}
            hasFocus={hasFocus}
          />
        )}
        {grid !== undefined && (
          <Input
            shell={shell}
            field={field}
            place={cursor}
            cellWidth={grid.cellWidth}
            describedBy={describedBy}
            leave={leave}
            scroll={(pages) => scroller.current?.scrollBy({ top: pages * (grid.rows - 1) * rowHeight })}
            typed={() => setAtEnd(true)}
            setFocus={setFocus}
          />
        )}
      </div>
    </div>
  );
}

/** The rows of a terminal, those above its screen included, and the cursor among them. */
function placesOf(terminal: Terminal | undefined) {
  if (terminal === undefined) return { length: 0, cursor: { x: 0, y: 0 } };
  const { length, baseY, cursorX, cursorY } = terminal.buffer.active;
  return { length, cursor: { x: Math.min(cursorX, terminal.cols - 1), y: baseY + cursorY } };
}
