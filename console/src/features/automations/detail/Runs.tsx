import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { duration } from '../../../lib/format.ts';
import { useSearch } from '../../../lib/useSearch.ts';
import { Chip } from '../../../ui/Chip.tsx';
import type { Column } from '../../../ui/column.ts';
import { DataTable, rowLink } from '../../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../../ui/Filters.tsx';
import { Empty } from '../../../ui/Notice.tsx';
import { Time } from '../../../ui/Time.tsx';
import { runsQuery } from '../queries.ts';
import { runState, runStatuses, runTriggers, triggerWord, type AutomationRun } from '../words.ts';

/** The runs of an automation, newest first. */
export function Runs({ org, id, canRun }: { org: string; id: string; canRun: boolean }) {
  const { status, trigger } = useSearch({ from: '/$org/automations/$id' });
  const navigate = useNavigate({ from: '/$org/automations/$id' });
  const query = useInfiniteQuery(runsQuery(org, id, { status, trigger }));
  const change = (part: object) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const isFiltered = status !== undefined || trigger !== undefined;
  return (
    <div className="pt-3">
      <Filters>
        <FilterSelect label="State" value={status} options={runStatuses} onChange={(to) => change({ status: to })} />
        <FilterSelect
          label="Started by"
          value={trigger}
          options={runTriggers}
          onChange={(to) => change({ trigger: to })}
        />
      </Filters>
      <DataTable
        label="Runs"
        query={query}
        columns={columnsOf(org, id)}
        keyOf={(run) => run.id}
        clear={isFiltered ? () => change({ status: undefined, trigger: undefined }) : undefined}
        empty={
          <Empty>
            {canRun
              ? 'It has not run yet. Run it now to see what it does; nothing else waits for that.'
              : 'It has not run yet.'}
          </Empty>
        }
      />
    </div>
  );
}

function columnsOf(org: string, id: string): Column<AutomationRun>[] {
  return [
    {
      name: 'State',
      width: '132px',
      cell: (run) => (
        <>
          <Link to="/$org/automations/$id/runs/$runId" params={{ org, id, runId: run.id }} className={rowLink}>
            <RunChip run={run} />
          </Link>
          <span className="block text-meta text-ink-3 md:hidden">
            <Time at={run.created_at} />
          </span>
        </>
      ),
    },
    { name: 'Created', width: '112px', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
    { name: 'Started by', width: '112px', wide: true, cell: (run) => triggerWord(run.trigger) },
    {
      name: 'Took',
      width: '80px',
      wide: true,
      cell: ({ started_at: from, ended_at: to }) =>
        from !== null && to !== null && duration(new Date(to).getTime() - new Date(from).getTime()),
    },
    { name: 'What happened', cell: (run) => <span className="text-ink-2">{outcome(run)}</span> },
  ];
}

export function RunChip({ run }: { run: AutomationRun }) {
  const { word, tone } = runState(run.status);
  return <Chip tone={tone}>{run.attempt_no > 1 ? `${word}, attempt ${run.attempt_no}` : word}</Chip>;
}

function outcome({ summary, error_message: problem, skip_reason: skipped }: AutomationRun): string {
  return [problem, skipped, summary].find((text) => text !== '') ?? '';
}
