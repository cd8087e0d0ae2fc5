import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Chip } from '../../../../ui/Chip.tsx';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { Time } from '../../../../ui/Time.tsx';
import { clipOf } from '../../timeline/clip.ts';
import { ClippedText } from '../../timeline/ClippedText.tsx';
import { contextQuery } from '../queries.ts';

/** What the session was given, each thing with its reason. */
export function ContextTab({ org, id }: { org: string; id: string }) {
  const query = useQuery(contextQuery(org, id));
  if (query.isPending) return <SkeletonRows rows={8} height={32} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { data } = query;
  if (data.created_at === null)
    return <Empty>Nothing yet. What it is given stands here when its first turn starts.</Empty>;
  const { agent, browser } = data;
  return (
    <div className="flex flex-col gap-6 overflow-auto px-4 py-4">
      <p className="text-ink-2">
        {agent.name}, version {agent.version}, {agent.runtime}
        {agent.model !== '' && (
          <>
            {' '}
            with <code>{agent.model}</code>
          </>
        )}
        {', '}
        {browser.available ? 'with a browser' : 'without a browser'}
        {browser.problem !== '' && `: ${browser.problem}`}. Put together for turn {data.turn},{' '}
        <Time at={data.created_at} />.
      </p>
      <Part title="Knowledge">
        {data.knowledge.map(({ note_id: id_, name, revision, score, reason, scope }) => (
          <Given key={id_} name={name} reason={reason} facts={[scope, `revision ${revision}`]}>
            <span className="mono text-meta text-ink-3">{score.toFixed(2)}</span>
          </Given>
        ))}
      </Part>
      <Part title="Memory">
        {data.memory.map(({ memory_id: id_, title, repo, revision, reason, path }) => (
          <Given key={`${id_}${path}`} name={title} reason={reason} facts={[repo, `revision ${revision}`, path]} />
        ))}
      </Part>
      <Part title="Skills">
        {data.skills.map(({ path, name, source, revision, reason, match, description }) => (
          <Given
            key={path}
            name={name}
            reason={match ?? reason}
            facts={[source, revision === 0 ? '' : `revision ${revision}`]}
          >
            {description !== '' && <span className="text-ink-2">{description.slice(0, 300)}</span>}
          </Given>
        ))}
      </Part>
      <Part title="MCP servers">
        {data.mcp_servers.map(({ id: id_, name, transport, tools, problem, reason }) => (
          <Given key={id_} name={name} reason={reason} facts={[transport, `${tools.length} tools`]}>
            {problem !== '' && <span className="text-bad">{problem}</span>}
          </Given>
        ))}
      </Part>
      <Part title="Secrets">
        {data.secrets.map(({ name, version, kind, exposure, scope, reason }) => (
          <Given
            key={`${scope}/${name}`}
            name={name}
            reason={reason}
            facts={[
              scope,
              exposure === 'broker' ? 'only the gateway has it' : kind,
              version === 0 ? '' : `version ${version}`,
            ]}
          />
        ))}
      </Part>
      <Part title="Settings">
        {data.settings.map(({ namespace, value, reason }) => (
          <li key={namespace}>
            <details>
              <summary className="flex min-h-6 cursor-pointer flex-wrap items-baseline gap-x-2 pointer-coarse:min-h-11">
                <span className="font-medium">{namespace}</span>
                <span className="text-ink-3">{reason}</span>
              </summary>
              <ClippedText clip={clipOf(JSON.stringify(value, null, 2))} />
            </details>
          </li>
        ))}
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode[] }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="border-b border-line pb-1 font-medium">
        {title} <span className="mono text-ink-3">{children.length}</span>
      </h3>
      {children.length === 0 ? (
        <p className="text-ink-3">None.</p>
      ) : (
        <ul className="flex flex-col gap-2">{children}</ul>
      )}
    </section>
  );
}

interface GivenProps {
  name: string;
  reason: string;
  facts: readonly string[];
  children?: ReactNode;
}

function Given({ name, reason, facts, children }: GivenProps) {
  return (
    <li className="flex flex-col">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium break-all">{name}</span>
        {facts
          .filter((fact) => fact !== '')
          .map((fact) => (
            <Chip key={fact}>{fact}</Chip>
          ))}
      </span>
      <span className="break-words text-ink-2">{reason}</span>
      {children}
    </li>
  );
}
