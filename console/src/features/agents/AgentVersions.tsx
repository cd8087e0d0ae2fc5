import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TextDiff } from '../../ui/diff/TextDiff.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Versions } from '../../ui/Versions.tsx';
import { agentVersionsQuery, type Agent, type Blueprint } from './queries.ts';

interface Props {
  org: string;
  agent: Agent;
  shown: number;
  show: (version: number) => void;
}

/** The versions of an agent, and what each changed. */
export function AgentVersions({ org, agent, shown, show }: Props) {
  const query = useInfiniteQuery(agentVersionsQuery(org, agent.id));
  if (query.isPending) return <SkeletonRows rows={4} height={44} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const versions = query.data.pages.flatMap(({ items }) => items);
  const version = versions.find((one) => one.version === shown);
  const before = versions.find((one) => one.version === shown - 1);
  return (
    <Versions
      versions={versions.map(({ version: number, created_at: at }) => ({ number, label: '', at }))}
      shown={shown}
      show={show}
      showOlder={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
    >
      {version && (
        <div className="flex min-w-0 flex-col gap-3">
          <h2 className="text-read font-medium">
            {before === undefined ? `Version ${shown}` : `What version ${shown} changed`}
          </h2>
          <TextDiff name="agent.md" before={before === undefined ? '' : textOf(before)} after={textOf(version)} />
          <p>
            <Link to="/$org/blueprints/$id" params={{ org, id: version.id }} className="underline">
              All that it is given: its blueprint
            </Link>
          </p>
        </div>
      )}
    </Versions>
  );
}

/** Returns what is the agent's own in a version; the rest of a manifest is the organization's of today. */
function textOf({ name, description, manifest }: Blueprint): string {
  const { model, system_prompt: prompt, max_tokens: tokens, temperature, tools } = manifest;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const facts = [
    `name: ${name}`,
    `description: ${text(description)}`,
    `model: ${text(model)}`,
    `max_tokens: ${text(tokens)}`,
    `temperature: ${text(temperature)}`,
  ];
  return [...facts, `tools: ${JSON.stringify(tools, null, 2)}`, '', text(prompt), ''].join('\n');
}
