import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { AgentEditor } from './AgentEditor.tsx';
import { AgentFacts } from './AgentFacts.tsx';
import { AgentVersions } from './AgentVersions.tsx';
import { agentQuery, runtimesQuery, type Agent } from './queries.ts';
import { problemOf } from './runtime.ts';

/** An agent: its program, its prompt, and its versions. */
export function AgentScreen() {
  const { org, id } = useParams({ from: '/$org/agents/$id' });
  return (
    <Guarded org={org} scope="org:read">
      <ReadAgent org={org} id={id} />
    </Guarded>
  );
}

function ReadAgent({ org, id }: { org: string; id: string }) {
  const query = useQuery(agentQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Agent" />;
  return <OneAgent org={org} agent={query.data} />;
}

function OneAgent({ org, agent }: { org: string; agent: Agent }) {
  const { name, version } = agent;
  const { tab = 'agent', v } = useSearch({ from: '/$org/agents/$id' });
  const navigate = useNavigate({ from: '/$org/agents/$id' });
  const { data: runtimes } = useQuery(runtimesQuery(org));
  const canWrite = useCan(org, 'org:write');
  const problem = problemOf(agent, runtimes);
  return (
    <Page
      title={name}
      back={
        <Link to="/$org/agents" params={{ org }} aria-label="All agents" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <span className="text-ink-3">version {version}</span>
          {canWrite && <AgentMenu org={org} agent={agent} />}
        </>
      }
    >
      {problem !== '' && (
        <p className="mx-4 mb-3 max-w-[72ch] border-l-2 border-wait bg-wait-soft px-3 py-2 sm:mx-6">
          Its sessions cannot start: {problem}
        </p>
      )}
      <Tabs
        label="Parts of the agent"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'agent' ? {} : { tab: next } })}
        tabs={[
          {
            id: 'agent',
            label: 'Agent',
            content: () => (
              <Body>
                {canWrite ? (
                  <AgentEditor org={org} agent={agent} problem={problem} />
                ) : (
                  <AgentFacts agent={agent} runtimes={runtimes} />
                )}
                <Needs org={org} scope="org:write" what="Changing it" />
              </Body>
            ),
          },
          {
            id: 'versions',
            label: 'Versions',
            content: () => (
              <AgentVersions
                org={org}
                agent={agent}
                shown={v ?? version}
                show={(next) => void navigate({ search: { tab: 'versions', v: next }, replace: true })}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}

function AgentMenu({ org, agent: { id, name } }: { org: string; agent: Agent }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE('/agents/{agent_id}', { params: { path: { agent_id: id } } })),
    touches: [keys.lists(org, 'agents')],
    says: `${name} is deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/agents', params: { org } }),
  });
  const confirm = async () => {
    const text = 'No new session can use it; sessions that run finish. This cannot be undone.';
    if (await ask({ title: `Delete ${name}?`, text, action: 'Delete the agent' })) remove.mutate();
  };
  return (
    <Menu label={`More about ${name}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
