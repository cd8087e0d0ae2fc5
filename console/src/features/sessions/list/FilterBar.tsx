import { ListFilter, X } from 'lucide-react';
import type { Schemas } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';
import { Filters as Bar, SearchField } from '../../../ui/Filters.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { useMemberName } from '../../members/names.ts';
import { MoreFilters } from './MoreFilters.tsx';
import { groups, isGroup, origins, periods, type Filters } from './filters.ts';

interface Props {
  org: string;
  filters: Filters;
  /** Given where the list shows one group of states at a time. */
  counts?: Schemas['SessionCounts'] | undefined;
  isBoard: boolean;
  onChange: (filters: Filters) => void;
}

/** The filters of the list; each change goes to the address. */
export function FilterBar({ org, filters, counts, isBoard, onChange }: Props) {
  const { q, by } = filters;
  const without = (name: keyof Filters): Filters => {
    const { [name]: _gone, ...others } = filters;
    return others;
  };
  const set = (name: 'q' | 'by', value: string | undefined) =>
    onChange(value === undefined ? without(name) : { ...filters, [name]: value });
  return (
    <Bar>
      <SearchField label="Search titles and prompts" value={q} onChange={(value) => set('q', value)} />
      {!isBoard && <Groups filters={filters} counts={counts} onChange={onChange} />}
      <button
        type="button"
        aria-pressed={by === 'me'}
        onClick={() => set('by', by === 'me' ? undefined : 'me')}
        className={cx(
          'h-8 rounded-control border px-3 pointer-coarse:h-11',
          by === 'me' ? 'border-accent bg-accent-soft font-medium' : 'border-line-strong bg-surface text-ink-2',
        )}
      >
        Mine
      </button>
      <Popover
        title="Filters"
        label={
          <>
            <ListFilter size={16} strokeWidth={1.5} aria-hidden />
            Filter
          </>
        }
      >
        {(close) => (
          <MoreFilters
            org={org}
            filters={filters}
            onChange={(next) => {
              onChange(next);
              close();
            }}
          />
        )}
      </Popover>
      <Pills org={org} filters={filters} remove={(name) => onChange(without(name))} />
    </Bar>
  );
}

function Groups({ filters, counts, onChange }: Pick<Props, 'filters' | 'counts' | 'onChange'>) {
  const { status, attention, ...others } = filters;
  return (
    <div
      role="group"
      aria-label="State"
      className="flex max-w-full overflow-x-auto rounded-control border border-line-strong"
    >
      {groups.map((group) => {
        const isOn = isGroup({ ...(status && { status }), ...(attention && { attention }) }, group.set);
        const amount = group.counts.reduce((sum, name) => sum + (counts?.[name] ?? 0), 0);
        return (
          <button
            key={group.label}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChange({ ...others, ...group.set })}
            className={cx(
              'h-8 shrink-0 grow -outline-offset-2 border-r border-line-strong px-3 whitespace-nowrap last:border-r-0 sm:grow-0 pointer-coarse:h-11 pointer-coarse:min-w-11',
              isOn ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
            )}
          >
            {group.label}
            {amount > 0 && <span className="mono"> {count(amount)}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** What holds, each with a way to take it away. */
function Pills({ org, filters, remove }: { org: string; filters: Filters; remove: (name: keyof Filters) => void }) {
  const { q: _q, attention: _attention, status, by, ...others } = filters;
  const person = useMemberName(org, by);
  const shown: [keyof Filters, string][] = [];
  if (status !== undefined && !groups.some((group) => 'status' in group.set && group.set.status === status))
    shown.push(['status', `State: ${status.replaceAll(',', ', ')}`]);
  if (by !== undefined && by !== 'me') shown.push(['by', `By: ${person}`]);
  if (others.repo !== undefined) shown.push(['repo', `Repository: ${others.repo}`]);
  if (others.tag !== undefined) shown.push(['tag', `Tag: ${others.tag}`]);
  if (others.origin !== undefined)
    shown.push(['origin', `From: ${origins.find(([id]) => id === others.origin)?.[1] ?? others.origin}`]);
  if (others.since !== undefined) shown.push(['since', `Last ${periods[others.since][0]}`]);
  if (others.archived !== undefined) shown.push(['archived', 'Archived']);
  if (others.sort !== undefined) shown.push(['sort', 'Last changed first']);
  return shown.map(([name, text]) => (
    <button
      key={name}
      type="button"
      onClick={() => remove(name)}
      className="inline-flex h-8 max-w-full items-center gap-1 rounded-chip bg-sunken px-2 text-ink-2 hover:text-ink pointer-coarse:h-11"
    >
      <span className="truncate">{text}</span>
      <X size={12} strokeWidth={1.5} aria-hidden className="shrink-0" />
      <span className="sr-only">remove</span>
    </button>
  ));
}
