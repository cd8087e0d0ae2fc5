import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { pinnedAfter, type PinInput } from './pinned.ts';

const upwards = new Set(['ArrowUp', 'PageUp', 'Home']);

/**
 * Tells whether a scrolling element follows its end. Listens to wheel, finger and keys, which come before the element
 * moves, so that nothing pulls a reader back within that frame. `onReader` is called for each of their inputs.
 */
export function usePinned(
  scroller: RefObject<HTMLElement | null>,
  { isAttached, onReader }: { isAttached: boolean; onReader: () => void },
) {
  const [isPinned, setPinned] = useState(true);
  const now = useRef(true);
  const latest = useRef({ isAttached, onReader });
  useEffect(() => {
    latest.current = { isAttached, onReader };
  });
  const tell = useCallback((input: PinInput, isEvent = false) => {
    const next = pinnedAfter(now.current, input);
    if (next === now.current) return;
    now.current = next;
    if (isEvent) flushSync(() => setPinned(next));
    else setPinned(next);
  }, []);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let top = element.scrollTop;
    let touchedAt: number | undefined;
    const away = () => {
      latest.current.onReader();
      if (element.scrollTop > 0) tell({ kind: 'away' }, true);
    };
    const listen = {
      scroll: () => {
        const by = element.scrollTop - top;
        top += by;
        // Who reads further up is not followed; heights, which cost a layout, need not be known.
        if (!now.current && by <= 0) return;
        const toEnd = element.scrollHeight - element.clientHeight - top;
        tell({ kind: 'moved', by, toEnd, isAttached: latest.current.isAttached }, true);
      },
      wheel: (event: WheelEvent) => (event.deltaY < 0 ? away() : latest.current.onReader()),
      touchstart: (event: TouchEvent) => {
        touchedAt = event.touches[0]?.clientY;
      },
      touchmove: (event: TouchEvent) => {
        const at = event.touches[0]?.clientY;
        if (at !== undefined && touchedAt !== undefined && at > touchedAt) away();
        else latest.current.onReader();
        touchedAt = at;
      },
      keydown: (event: KeyboardEvent) => isUpwards(event) && away(),
      pointerdown: () => latest.current.onReader(),
    };
    const stop = new AbortController();
    const options = { passive: true, signal: stop.signal };
    element.addEventListener('scroll', listen.scroll, options);
    element.addEventListener('wheel', listen.wheel, options);
    element.addEventListener('touchstart', listen.touchstart, options);
    element.addEventListener('touchmove', listen.touchmove, options);
    element.addEventListener('keydown', listen.keydown, options);
    element.addEventListener('pointerdown', listen.pointerdown, options);
    return () => stop.abort();
  }, [scroller, tell]);
  return { isPinned, tell };
}

function isUpwards({ key, shiftKey }: KeyboardEvent): boolean {
  return upwards.has(key) || (key === ' ' && shiftKey);
}
