import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isGone } from '../../../lib/errors.ts';
import { useSearch } from '../../../lib/useSearch.ts';
import { Button } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import { Facts, Page, backLink } from '../../../ui/Page.tsx';
import { Tabs } from '../../../ui/Tabs.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Unread } from '../../shell/Unread.tsx';
import { useRunNow } from '../actions.ts';
import { OnSwitch } from '../list/OnSwitch.tsx';
import { automationQuery } from '../queries.ts';
import { remarkOf, triggersWords, type Automation } from '../words.ts';
import { AutomationMenu } from './AutomationMenu.tsx';
import { Edit } from './Edit.tsx';
import { HookSecret } from './HookSecret.tsx';
import { RunWith } from './RunWith.tsx';
import { Runs } from './Runs.tsx';

/** An automation: whether it is on, its runs, and its definition. */
export function AutomationScreen() {
  const { org, id } = useParams({ from: '/$org/automations/$id' });
  const query = useQuery(automationQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Automation" />;
  return <Loaded key={id} org={org} automation={query.data} />;
}

function Loaded({ org, automation }: { org: string; automation: Automation }) {
  const { tab = 'runs' } = useSearch({ from: '/$org/automations/$id' });
  const navigate = useNavigate({ from: '/$org/automations/$id' });
  const canRun = useCan(org, 'run');
  const [secretOf, setSecretOf] = useState<Automation>();
  const [isPayloadOpen, setPayloadOpen] = useState(false);
  const run = useRunNow(org, automation.id, ({ id: runId }) =>
    navigate({ to: '/$org/automations/$id/runs/$runId', params: { org, id: automation.id, runId } }),
  );
  return (
    <Page
      title={automation.name}
      back={
        <Link to="/$org/automations" params={{ org }} aria-label="All automations" className={backLink}>
          ‹
        </Link>
      }
      actions={
        canRun && (
          <>
            <OnSwitch org={org} automation={automation} />
            <AutomationMenu
              org={org}
              automation={automation}
              rotated={setSecretOf}
              runWith={() => setPayloadOpen(true)}
            />
            <Button look="primary" disabled={run.isPending} onClick={() => run.mutate({})}>
              {run.isPending ? 'Starting …' : 'Run now'}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4 px-4 pb-4 sm:px-6">
        <Summary automation={automation} />
        {secretOf !== undefined && <HookSecret automation={secretOf} />}
        {isPayloadOpen && canRun && (
          <RunWith
            triggers={automation.triggers}
            isPending={run.isPending}
            start={(payload) => run.mutate(payload)}
            close={() => setPayloadOpen(false)}
          />
        )}
      </div>
      <Tabs
        label={automation.name}
        value={tab}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })}
        tabs={[
          { id: 'runs', label: 'Runs', content: () => <Runs org={org} id={automation.id} canRun={canRun} /> },
          {
            id: 'edit',
            label: canRun ? 'Edit' : 'Definition',
            content: () => <Edit org={org} automation={automation} canRun={canRun} issued={setSecretOf} />,
          },
        ]}
      />
    </Page>
  );
}

function Summary({ automation }: { automation: Automation }) {
  const { triggers, next_run_at: next, last_run_at: last, created_by: by } = automation;
  const remark = remarkOf(automation);
  return (
    <Facts
      facts={[
        ['State', remark === undefined ? 'On' : <Chip tone={remark.tone}>{remark.word}</Chip>],
        ['Runs', triggersWords(triggers)],
        ['Next', next === null ? undefined : <Time at={next} />],
        ['Last', last === null ? undefined : <Time at={last} />],
        ['Made by', by.name === '' ? undefined : by.name],
      ]}
    />
  );
}
