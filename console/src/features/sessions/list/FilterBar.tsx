import { Search } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { cx } from '../../../ui/cx.ts';
import { stateFilters, type Filters } from './filters.ts';

/** The filters of the list; each change goes to the address. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const [text, setText] = useState(filters.q ?? '');
  const { q: _q, status = '', ...others } = filters;
  const withStatus = status === '' ? {} : { status };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ ...others, ...withStatus, ...(text.trim() === '' ? {} : { q: text.trim() }) });
  };
  const pills = Object.entries(others);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 sm:px-6">
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
        {stateFilters.map((one) => (
          <button
            key={one.label}
            type="button"
            aria-pressed={one.status === status}
            onClick={() => onChange({ ...filters, status: one.status === '' ? undefined : one.status })}
            className={cx(
              'h-8 border-r border-line-strong px-3 last:border-r-0 pointer-coarse:h-11',
              one.status === status ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
            )}
          >
            {one.label}
          </button>
        ))}
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
