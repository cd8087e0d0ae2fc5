import type { Items } from './items.ts';
import type { Target } from './place.ts';
import { TimelineItem } from './TimelineItem.tsx';
import type { Rows } from './useVirtualRows.ts';

interface Props {
  org: string;
  session: string;
  items: Items['items'];
  rows: Rows;
  /** The turn that begins with a row. */
  turns: ReadonlyMap<string, number>;
  tinted: Target | undefined;
  toggle: (key: string, isOpen: boolean) => void;
}

/** The rows of the log that are in view. */
export function LogRows({ org, session, items, rows, turns, tinted, toggle }: Props) {
  return (
    <ol className="relative" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index];
        return (
          item !== undefined && (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              data-seq={item.seq}
              className="absolute inset-x-0 top-0 px-1 sm:px-3"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TimelineItem
                org={org}
                session={session}
                item={item}
                turn={turns.get(item.key)}
                isTinted={tinted !== undefined && item.seq <= tinted.to && item.lastSeq >= tinted.from}
                toggle={toggle}
              />
            </li>
          )
        );
      })}
    </ol>
  );
}
