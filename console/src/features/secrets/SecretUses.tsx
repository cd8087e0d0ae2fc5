import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { shortId } from '../../lib/format.ts';
import { Button } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Time } from '../../ui/Time.tsx';
import { usageQuery } from './queries.ts';

/** The sessions that had a secret, with the version that each got. */
export function SecretUses({ org, id }: { org: string; id: string }) {
  const query = useInfiniteQuery(usageQuery(org, id));
  if (query.isPending) return null;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const uses = query.data.pages.flatMap(({ items }) => items);
  if (uses.length === 0) return <p className="text-ink-2">No session had it yet.</p>;
  return (
    <>
      <ul>
        {uses.map(({ session_id: session, version, used_at: at }) => (
          <li
            key={`${session} ${version}`}
            className="flex min-h-8 flex-wrap items-center gap-x-4 border-b border-line"
          >
            <Link to="/$org/sessions/$id" params={{ org, id: session }} className="font-mono underline">
              {shortId(session)}
            </Link>
            <span>version {version}</span>
            <span className="text-ink-3">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <p>
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}
