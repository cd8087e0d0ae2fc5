import { Search } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { cx } from '../../../ui/cx.ts';
import type { Schemas } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { groups, isGroup, type Filters } from './filters.ts';

interface Props {
  filters: Filters;
  counts: Schemas['SessionCounts'] | undefined;
  onChange: (filters: Filters) => void;
}

/** The filters of the list; each change goes to the address. */
export function FilterBar({ filters, counts, onChange }: Props) {
  const [text, setText] = useState(filters.q ?? '');
  const { q: _q, status, attention, ...others } = filters;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ ...filters, q: text.trim() === '' ? undefined : text.trim() });
  };
  const pills = Object.entries(others);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 pb-3 sm:px-6">
      <form role="search" onSubmit={submit} className="relative w-full sm:w-64">
        <Search
          size={16}
          strokeWidth={1.5}
          aria-hidden
          className="absolute top-2 left-2 text-ink-3 pointer-coarse:top-3.5"
        />
        <input
          type="search"
          name="q"
          aria-label="Search in titles and prompts"
          placeholder="Find"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-8 w-full rounded-control border border-line-strong bg-surface pr-2 pl-8 placeholder:text-ink-3 pointer-coarse:h-11"
        />
      </form>
      <div role="group" aria-label="State" className="flex overflow-hidden rounded-control border border-line-strong">
        {groups.map((group) => {
          const isOn = isGroup({ status, attention }, group.set);
          const amount = group.counts.reduce((sum, name) => sum + (counts?.[name] ?? 0), 0);
          return (
            <button
              key={group.label}
              type="button"
              aria-pressed={isOn}
              onClick={() => onChange({ ...others, q: filters.q, ...group.set })}
              className={cx(
                'h-8 border-r border-line-strong px-3 last:border-r-0 pointer-coarse:h-11',
                isOn ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
              )}
            >
              {group.label}
              {amount > 0 && <span className="mono"> {count(amount)}</span>}
            </button>
          );
        })}
      </div>
      {pills.map(([name, value]) => (
        <button
          key={name}
          type="button"
          onClick={() => onChange({ ...filters, [name]: undefined })}
          className="inline-flex h-8 items-center gap-1 rounded-chip bg-sunken px-2 text-ink-2 hover:text-ink pointer-coarse:h-11"
        >
          {name}: {value} <span aria-hidden>×</span>
          <span className="sr-only">remove</span>
        </button>
      ))}
    </div>
  );
}
