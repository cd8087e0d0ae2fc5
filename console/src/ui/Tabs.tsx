import { Tabs as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { count } from '../lib/format.ts';
import { usePlaced } from './usePlaced.ts';

export interface Tab<Id extends string> {
  id: Id;
  label: string;
  /** How many things are in it. */
  amount?: number | undefined;
  content: () => ReactNode;
}

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  /** The open tab; keep it in the address. */
  value: Id;
  onChange: (id: Id) => void;
}

/** Parts of a page, one of which is shown. */
export function Tabs<Id extends string>({ label, tabs, value, onChange }: TabsProps<Id>) {
  const open = tabs.find(({ id }) => id === value) ?? tabs[0];
  const list = useRef<HTMLDivElement>(null);
  const shown = open?.id;
  // Not all of them fit on a phone.
  usePlaced(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>('[data-state=active]');
    if (row !== null && tab !== null && tab !== undefined)
      row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [shown]);
  if (open === undefined) return null;
  return (
    <Radix.Root
      value={open.id}
      onValueChange={(id) => {
        const tab = tabs.find((one) => one.id === id);
        if (tab !== undefined) onChange(tab.id);
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex overflow-x-auto border-b border-line px-2 sm:px-4 @max-[520px]/pane:px-1"
      >
        {tabs.map(({ id, label: name, amount }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="h-9 shrink-0 -outline-offset-2 border-b-2 border-transparent px-2 whitespace-nowrap @max-[520px]/pane:px-1 text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink pointer-coarse:h-11 pointer-coarse:min-w-11"
          >
            {name}
            {amount !== undefined && amount > 0 && <span className="mono text-ink-3"> {count(amount)}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={open.id} className="flex min-h-0 flex-1 flex-col">
        {open.content()}
      </Radix.Content>
    </Radix.Root>
  );
}
