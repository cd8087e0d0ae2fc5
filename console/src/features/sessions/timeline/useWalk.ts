import { useRef } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { useActions } from '../../../lib/actions.ts';
import { copyText } from '../../../lib/copy.ts';
import type { Item } from './items.ts';
import { indexAround, matters } from './jump.ts';
import { permalinkOf } from './place.ts';
import type { useTimelineScroll } from './useTimelineScroll.ts';

interface Props {
  items: readonly Item[];
  scroll: ReturnType<typeof useTimelineScroll>;
  outline: Schemas['SessionOutline'] | undefined;
}

/**
 * `n` and `p` walk what matters, `End` goes to the newest, `l` links to where the reader is; beyond what is loaded, the
 * outline knows the way.
 */
export function useWalk({ items, scroll, outline }: Props): void {
  const { rows, toItem, toEnd, toEvents, mark } = scroll;
  /** Where the last step led; it holds until the reader moves by themselves. */
  const cursor = useRef<{ key: string; seq: number }>(undefined);
  /** Returns the item that the reader is at: where the last step led, or else the first in view. */
  const here = () => {
    const seen = rows.getVirtualItemForOffset((rows.scrollOffset ?? 0) + 32)?.index ?? 0;
    const known = cursor.current === undefined ? -1 : indexAround(items, cursor.current);
    return known !== -1 && Math.abs(known - seen) <= 8 ? known : seen;
  };
  const walk = (step: 1 | -1) => {
    const from = here();
    for (let at = from + step; at >= 0 && at < items.length; at += step) {
      const item = items[at];
      if (item === undefined || !matters(item)) continue;
      cursor.current = { key: item.key, seq: item.seq };
      toItem(at);
      return;
    }
    const edge = (step === 1 ? items.at(-1)?.lastSeq : items[0]?.seq) ?? 0;
    const marks = outline?.marks.map(({ seq }) => seq) ?? [];
    const next = step === 1 ? marks.find((seq) => seq > edge) : marks.findLast((seq) => seq < edge);
    if (next !== undefined) toEvents({ from: next, to: next });
    else if (step === 1) toEnd();
  };
  const link = () => {
    const item = items[here()];
    if (item === undefined) return;
    mark({ from: item.seq, to: item.seq });
    void copyText(permalinkOf(item.seq), 'The link is copied');
  };
  useActions('Log', [
    { label: 'Next message or problem', key: 'n', act: () => walk(1), keyOnly: true },
    { label: 'Previous message or problem', key: 'p', act: () => walk(-1), keyOnly: true },
    { label: 'Jump to latest', key: 'End', act: toEnd },
    { label: 'Link to this place in the log', key: 'l', act: link },
  ]);
}
