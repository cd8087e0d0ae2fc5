import { useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Button } from '../../ui/Button.tsx';
import { Body, Page } from '../../ui/Page.tsx';
import { Tabs, type Tab } from '../../ui/Tabs.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { DryRun } from './DryRun.tsx';
import { Rules } from './Rules.tsx';
import { Violations } from './Violations.tsx';

type TabId = 'rules' | 'try' | 'violations';

/** The guardrails of the organization or of a repository: rules, a dry run, and what was blocked. */
export function GuardrailsScreen() {
  const { org } = useParams({ from: '/$org/guardrails' });
  return (
    <Page title="Guardrails">
      <Guarded org={org} scope="guardrails:read">
        <Parts org={org} />
      </Guarded>
    </Page>
  );
}

function Parts({ org }: { org: string }) {
  const { repo, tab = 'rules' } = useSearch({ from: '/$org/guardrails' });
  const navigate = useNavigate({ from: '/$org/guardrails' });
  const canWrite = useCan(org, 'guardrails:write');
  const change = (part: object) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const tabs: Tab<TabId>[] = [
    {
      id: 'rules',
      label: 'Rules',
      content: () => (
        <Body>
          <Rules org={org} repo={repo} />
        </Body>
      ),
    },
    ...(canWrite
      ? [
          {
            id: 'try' as const,
            label: 'Try',
            content: () => (
              <Body>
                <DryRun key={repo} org={org} repo={repo} />
              </Body>
            ),
          },
        ]
      : []),
    { id: 'violations', label: 'Violations', content: () => <Violations org={org} /> },
  ];
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 pb-3 sm:px-6">
        <Whose org={org} repo={repo} onChange={(to) => change({ repo: to })} />
      </div>
      <Tabs label="Guardrails" value={tab} tabs={tabs} onChange={(to) => change({ tab: to })} />
    </>
  );
}

/** Whose rules are shown: the organization's, or a repository's. */
function Whose({
  org,
  repo,
  onChange,
}: {
  org: string;
  repo: string | undefined;
  onChange: (repo: string | undefined) => void;
}) {
  return (
    <>
      <span className="text-ink-2">
        {repo === undefined ? 'Those of the whole organization.' : 'Those of one repository.'}
      </span>
      <span className="w-64 max-w-full sm:w-auto">
        <RepositoryChoice
          org={org}
          label="Repository"
          value={repo ?? ''}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      </span>
      {repo !== undefined && (
        <Button look="bare" onClick={() => onChange(undefined)}>
          To the organization's
        </Button>
      )}
    </>
  );
}
