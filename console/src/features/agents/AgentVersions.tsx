import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { TextDiff } from '../../ui/diff/TextDiff.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
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
    <div className="grid gap-4 px-4 py-4 sm:px-6 md:grid-cols-[200px_minmax(0,1fr)]">
      <nav aria-label="Versions" className="flex flex-col gap-1">
        <ul className="max-h-[70vh] overflow-y-auto">
          {versions.map(({ version: number, created_at: at }) => (
            <li key={number}>
              <button
                type="button"
                aria-current={number === shown ? 'true' : undefined}
                onClick={() => show(number)}
                className={cx(
                  'flex min-h-8 w-full items-baseline gap-2 rounded-control px-2 py-1 text-left hover:bg-sunken pointer-coarse:min-h-11',
                  number === shown && 'bg-accent-soft',
                )}
              >
                <span className="flex-1">Version {number}</span>
                <span className="text-meta text-ink-3">
                  <Time at={at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
        {query.hasNextPage && (
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show older versions
          </Button>
        )}
      </nav>
      {version === undefined ? (
        <p className="text-ink-2">This version is not in the list. Older versions may show it.</p>
      ) : (
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
    </div>
  );
}

/** Returns what is the agent's own in a version; the rest of a manifest is the organization's of today. */
function textOf({ name, manifest }: Blueprint): string {
  const { model, system_prompt: prompt, max_tokens: tokens, temperature, tools } = manifest;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const facts = [
    `name: ${name}`,
    `model: ${text(model)}`,
    `max_tokens: ${text(tokens)}`,
    `temperature: ${text(temperature)}`,
  ];
  return [...facts, `tools: ${JSON.stringify(tools, null, 2)}`, '', text(prompt), ''].join('\n');
}
