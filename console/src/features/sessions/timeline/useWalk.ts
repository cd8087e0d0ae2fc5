import { useEffect, useRef } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { useActions } from '../../../lib/actions.ts';
import type { Item } from './items.ts';
import { matters } from './jump.ts';
import type { useTimelineScroll } from './useTimelineScroll.ts';

interface Props {
  items: readonly Item[];
  scroll: ReturnType<typeof useTimelineScroll>;
  outline: Schemas['SessionOutline'] | undefined;
}

/** `n` and `p` walk what matters, `End` goes to the newest; beyond what is loaded, the outline knows the way. */
export function useWalk({ items, scroll, outline }: Props): void {
  const { rows, toItem, toEnd, toEvents } = scroll;
  /** Where the last step led; it holds until the reader moves by themselves. */
  const cursor = useRef<{ key: string; top: number | null }>(undefined);
  useEffect(() => {
    if (cursor.current !== undefined && cursor.current.top === null) cursor.current.top = rows.scrollOffset;
  });
  const walk = (step: 1 | -1) => {
    const top = (rows.scrollOffset ?? 0) + 32;
    const known = items.findIndex(({ key }) => key === cursor.current?.key);
    const seen = rows.getVirtualItemForOffset(top)?.index ?? 0;
    const from = known !== -1 && Math.abs(known - seen) <= 8 ? known : seen;
    for (let at = from + step; at >= 0 && at < items.length; at += step) {
      const item = items[at];
      if (item === undefined || !matters(item)) continue;
      cursor.current = { key: item.key, top: null };
      toItem(at);
      return;
    }
    const edge = (step === 1 ? items.at(-1)?.lastSeq : items[0]?.seq) ?? 0;
    const marks = outline?.marks.map(({ seq }) => seq) ?? [];
    const next = step === 1 ? marks.find((seq) => seq > edge) : marks.findLast((seq) => seq < edge);
    if (next !== undefined) toEvents({ from: next, to: next });
    else if (step === 1) toEnd();
  };
  useActions('Log', [
    { label: 'Next message or problem', key: 'n', act: () => walk(1), keyOnly: true },
    { label: 'Previous message or problem', key: 'p', act: () => walk(-1), keyOnly: true },
    { label: 'Jump to latest', key: 'End', act: toEnd },
  ]);
}
