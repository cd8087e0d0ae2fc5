import {
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { recall, remember } from '../../../../lib/storage.ts';

const narrowest = 320;
const logAtLeast = 360;
const name = 'session-pane';

/** The part at the right, whose width a person chooses by its edge; the log keeps at least 360 px. */
export function Pane({ children }: { children: ReactNode }) {
  const [width, setWidth] = useState(widthAtFirst);
  const edge = useRef<HTMLDivElement>(null);
  const most = useMostWidth(edge);
  const from = useRef<{ x: number; width: number }>(undefined);
  const shown = Math.min(most, Math.max(narrowest, width));
  const choose = (next: number) => {
    const fitting = Math.round(Math.min(most, Math.max(narrowest, next)));
    setWidth(fitting);
    remember(name, String(fitting));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(shown + by);
  };
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, width: shown };
  };
  const drag = ({ clientX }: PointerEvent) => {
    if (from.current !== undefined) choose(from.current.width + from.current.x - clientX);
  };
  return (
    <>
      <div
        ref={edge}
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the right side"
        aria-valuenow={shown}
        aria-valuemin={narrowest}
        aria-valuemax={most}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={() => {
          from.current = undefined;
        }}
        onDoubleClick={() => choose(most / 2)}
        className="relative w-px shrink-0 cursor-col-resize touch-none bg-line before:absolute before:inset-y-0 before:-inset-x-1 hover:bg-accent focus-visible:bg-accent"
      />
      <aside aria-label="Details" className="@container/pane flex min-h-0 shrink-0 flex-col" style={{ width: shown }}>
        {children}
      </aside>
    </>
  );
}

function widthAtFirst(): number {
  const stored = Number(recall(name) ?? Number.NaN);
  return Number.isFinite(stored) ? stored : Math.round(innerWidth * 0.42);
}

/** Returns the width that leaves the log its room in the row that both share. */
function useMostWidth(edge: RefObject<HTMLElement | null>): number {
  const [most, setMost] = useState(Infinity);
  useLayoutEffect(() => {
    const row = edge.current?.parentElement;
    if (row === null || row === undefined) return undefined;
    const fit = () => setMost(Math.max(narrowest, row.clientWidth - logAtLeast));
    fit();
    // The navigation can change its width as well as the window.
    const observer = new ResizeObserver(fit);
    observer.observe(row);
    return () => observer.disconnect();
  }, [edge]);
  return most;
}
