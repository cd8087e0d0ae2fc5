import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { violationsQuery } from './queries.ts';
import { actionWord, allRules, ruleLabel, type Violation } from './rules.ts';

const rules = allRules.map(({ rule, label }) => [rule, label] as const);

/** What the rules blocked or warned about, newest first. */
export function Violations({ org }: { org: string }) {
  const { repo, rule } = useSearch({ from: '/$org/guardrails' });
  const navigate = useNavigate({ from: '/$org/guardrails' });
  const query = useInfiniteQuery(violationsQuery(org, { repo, rule }));
  const change = (part: object) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <div className="pt-3">
      <Filters>
        <FilterSelect label="Rule" value={rule} options={rules} onChange={(to) => change({ rule: to })} />
      </Filters>
      <DataTable
        label="Violations"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        clear={
          rule === undefined && repo === undefined ? undefined : () => change({ rule: undefined, repo: undefined })
        }
        empty={<Empty>No session has violated a rule. Violations appear here with their evidence.</Empty>}
      />
    </div>
  );
}

function columnsOf(org: string): Column<Violation>[] {
  return [
    {
      name: 'Rule',
      width: 'minmax(0,200px)',
      cell: ({ id, rule }) => (
        <Link to="/$org/guardrails/violations/$id" params={{ org, id }} className={rowLink}>
          {ruleLabel(rule)}
        </Link>
      ),
    },
    {
      name: 'Outcome',
      width: '128px',
      cell: ({ action }) => <Chip tone={actionWord(action).tone}>{actionWord(action).word}</Chip>,
    },
    {
      name: 'What happened',
      wide: true,
      cell: ({ evidence }) => <span className="text-ink-2">{evidence.message}</span>,
    },
    { name: 'Repository', width: 'minmax(0,160px)', wide: true, cell: ({ repo }) => repo },
    { name: 'Seen', width: '80px', wide: true, cell: ({ acknowledged_at: at }) => (at === null ? '' : 'yes') },
    { name: 'When', width: '104px', align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
