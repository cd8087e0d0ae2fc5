import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isGone } from '../../../lib/errors.ts';
import { duration } from '../../../lib/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { Body, Facts, Page, Section, backLink } from '../../../ui/Page.tsx';
import { ExactTime, Time } from '../../../ui/Time.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Unread } from '../../shell/Unread.tsx';
import { useRunAction } from '../actions.ts';
import { RunChip } from '../detail/Runs.tsx';
import { automationQuery, runQuery } from '../queries.ts';
import { runState, triggerWord, type Automation, type AutomationRun } from '../words.ts';
import { RunSessions } from './RunSessions.tsx';

const open: ReadonlySet<string> = new Set(['pending', 'running', 'retrying', 'scheduled']);
const repeatable: ReadonlySet<string> = new Set(['failed', 'timed_out', 'canceled', 'retrying']);

/** A run: what started it, how its attempts went, and their sessions. */
export function RunScreen() {
  const { org, id, runId } = useParams({ from: '/$org/automations/$id/runs/$runId' });
  const query = useQuery(runQuery(org, runId));
  const { data: automation } = useQuery(automationQuery(org, id));
  const run = query.data;
  if (run === undefined || isGone(query.error)) return <Unread query={query} what="Run" />;
  const name = automation?.name ?? 'Automation';
  return (
    <Page
      title={name}
      tab={`${name} · ${runState(run.status).word}`}
      recent={`Run of ${name}`}
      back={
        <Link
          to="/$org/automations/$id"
          params={{ org, id }}
          aria-label="All runs of the automation"
          className={backLink}
        >
          ‹
        </Link>
      }
      actions={<Actions org={org} run={run} />}
    >
      <Body>
        <Facts facts={factsOf(run, automation)} />
        {run.error_message !== '' && (
          <p className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2 break-words">
            {run.error_message} <code className="text-ink-3">{run.error_class}</code>
          </p>
        )}
        {run.summary !== '' && (
          <Section title="Result">
            <p className="max-w-[72ch] text-read break-words whitespace-pre-wrap">{run.summary}</p>
          </Section>
        )}
        <RunSessions org={org} run={run} />
      </Body>
    </Page>
  );
}

function Actions({ org, run }: { org: string; run: AutomationRun }) {
  const canRun = useCan(org, 'run');
  const ask = useConfirm();
  const cancel = useRunAction(org, run.id, 'cancel');
  const retry = useRunAction(org, run.id, 'retry');
  if (!canRun) return null;
  const askToCancel = async () => {
    const text = 'Its session is canceled too. What it pushed stays.';
    if (await ask({ title: 'Cancel this run?', text, action: 'Cancel the run' })) cancel.mutate();
  };
  return (
    <>
      {open.has(run.status) && (
        <Button disabled={cancel.isPending} onClick={() => void askToCancel()}>
          Cancel the run
        </Button>
      )}
      {repeatable.has(run.status) && (
        <Button look="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Try again now
        </Button>
      )}
    </>
  );
}

function factsOf(run: AutomationRun, automation: Automation | undefined): (readonly [string, ReactNode])[] {
  const { attempt_no: attempt, scheduled_at: due, started_at: began, ended_at: ended } = run;
  const most = automation?.retry.max_attempts ?? attempt;
  return [
    ['State', <RunChip key="state" run={run} />],
    ['Started by', triggerWord(run.trigger)],
    ['Due', due === null ? undefined : <Time at={due} />],
    ['Created', <ExactTime key="created" at={run.created_at} />],
    ['Began', began === null ? undefined : <Time at={began} />],
    ['Took', began === null || ended === null ? undefined : duration(Date.parse(ended) - Date.parse(began))],
    ['Attempt', most > 1 ? `${attempt} of ${Math.max(most, attempt)}` : attempt],
    ['Next attempt', run.next_attempt_at === null ? undefined : <Time at={run.next_attempt_at} />],
    ['Skipped because', run.skip_reason === '' ? undefined : run.skip_reason],
    ['Run', <code key="id">{run.id}</code>],
  ];
}
