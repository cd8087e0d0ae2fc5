import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Download, X } from 'lucide-react';
import { useSearch } from '../../lib/useSearch.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import type { AuditFilters } from './filters.ts';
import { auditActionsQuery, auditQuery, exportAddress, type AuditEntry } from './queries.ts';
import { useNames } from './useNames.ts';
import { Verification } from './Verification.tsx';
import { outcomeOptions, outcomeTones, outcomeWords } from './words.ts';

/** Who did what, to what, and with which outcome. */
export function AuditLogScreen() {
  const { org } = useParams({ from: '/$org/audit-logs' });
  return (
    <Guarded org={org} scope="org:read">
      <AuditLog org={org} />
    </Guarded>
  );
}

function AuditLog({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/audit-logs' });
  const navigate = useNavigate({ from: '/$org/audit-logs' });
  const query = useInfiniteQuery(auditQuery(org, filters));
  const names = useNames(org, query.data?.pages.flatMap(({ items }) => items) ?? []);
  const isFiltered = Object.keys(filters).length > 0;
  const clear = () => void navigate({ search: {}, replace: true });
  return (
    <Page
      title="Audit log"
      total={query.data?.pages[0]?.total}
      actions={
        <>
          <Verification org={org} />
          <a href={exportAddress(org, filters)} download className={buttonClass()}>
            <Download size={16} strokeWidth={1.5} aria-hidden />
            Export {isFiltered ? 'these' : 'all'}
          </a>
        </>
      }
    >
      <FilterBar
        org={org}
        filters={filters}
        names={names}
        onChange={(name, value) => {
          const { [name]: _old, ...rest } = filters;
          void navigate({ search: value === undefined ? rest : { ...rest, [name]: value }, replace: true });
        }}
      />
      <DataTable
        label="Entries"
        query={query}
        columns={columnsOf(org, names)}
        keyOf={({ id }) => id}
        clear={isFiltered ? clear : undefined}
        empty={<Empty>Nothing has happened yet.</Empty>}
      />
    </Page>
  );
}

interface FilterBarProps {
  org: string;
  filters: AuditFilters;
  names: ReadonlyMap<string, string>;
  onChange: (name: keyof AuditFilters, value: string | undefined) => void;
}

const removable = [
  ['actor_id', 'Who'],
  ['resource_type', 'Kind'],
  ['resource_id', 'What'],
] as const;

function FilterBar({ org, filters, names, onChange }: FilterBarProps) {
  const { data: actions = [] } = useQuery(auditActionsQuery(org));
  return (
    <Filters>
      <FilterSelect
        label="Action"
        value={filters.action}
        options={actions.map((action) => [action, action])}
        onChange={(value) => onChange('action', value)}
      />
      <FilterSelect
        label="Outcome"
        value={filters.outcome}
        options={outcomeOptions}
        onChange={(value) => onChange('outcome', value)}
      />
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="flex items-center gap-1">
          {name === 'from' ? 'From' : 'To'}
          <input
            type="date"
            value={filters[name] ?? ''}
            onChange={({ target }) => onChange(name, target.value === '' ? undefined : target.value)}
            className="h-8 min-w-0 flex-1 rounded-control border border-line-strong bg-surface px-2 sm:flex-none pointer-coarse:h-11"
          />
        </label>
      ))}
      {removable.map(([name, word]) => {
        const value = filters[name];
        if (value === undefined) return null;
        const known = names.get(value);
        return (
          <Button
            key={name}
            title={value}
            aria-label={`Remove the filter ${word}: ${known ?? value}`}
            onClick={() => onChange(name, undefined)}
            className="max-w-80"
          >
            <span className="truncate">
              {word}: {known ?? <code>{value}</code>}
            </span>
            <X size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
          </Button>
        );
      })}
    </Filters>
  );
}

function columnsOf(org: string, names: ReadonlyMap<string, string>): Column<AuditEntry>[] {
  return [
    { name: 'When', width: '104px', cell: ({ created_at: at }) => <Time at={at} /> },
    { name: 'Who', wide: true, cell: ({ actor }) => <span title={actor.display}>{actor.display}</span> },
    {
      name: 'Did',
      cell: ({ id, action, actor, resource }) => (
        <>
          <Link to="/$org/audit-logs/$id" params={{ org, id }} className={`${rowLink} mono`}>
            {action}
          </Link>
          <span className="block truncate text-meta text-ink-3 md:hidden">
            {names.get(resource.id) ?? resource.id} · {actor.display}
          </span>
        </>
      ),
    },
    {
      name: 'To',
      wide: true,
      cell: ({ resource: { type, id } }) => (
        <span title={id}>
          {type} {names.get(id) ?? <code className="text-ink-3">{id}</code>}
        </span>
      ),
    },
    {
      name: 'Outcome',
      width: '72px',
      cell: ({ outcome }) => <Chip tone={outcomeTones[outcome]}>{outcomeWords[outcome]}</Chip>,
    },
  ];
}
