import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import { Chip } from '../../ui/Chip.tsx';
import { connectionQuery } from '../git-connections/queries.ts';
import { providerNames, stateOf } from '../git-connections/words.ts';
import type { Repository } from './queries.ts';

/** Where a repository is, and the connection that reaches it there, with its state unless it works. */
export function ConnectionLine({ org, repository }: { org: string; repository: Repository }) {
  const { provider, connection_id: id } = repository;
  return (
    <p className="flex min-h-6 flex-wrap items-center gap-x-2 px-4 pb-2 text-ink-2 sm:px-6">
      <span>{provider === 'local' ? 'At the' : `At ${providerNames[provider]}, by the connection`}</span>
      <Connection org={org} id={id} />
    </p>
  );
}

function Connection({ org, id }: { org: string; id: string }) {
  const { data: connection, error } = useQuery(connectionQuery(org, id));
  // A connection can be deleted although repositories use it.
  if (error instanceof ApiError && error.status === 404)
    return <Chip tone="bad">none: give it one in the settings</Chip>;
  if (connection === undefined) return null;
  const { word, tone } = stateOf(connection);
  return (
    <>
      <Link
        to="/$org/git-connections/$id"
        params={{ org, id }}
        className="inline-flex min-h-6 max-w-full items-center truncate font-medium underline pointer-coarse:min-h-11"
      >
        {connection.name}
      </Link>
      {connection.state !== 'connected' && (
        <span title={connection.problem}>
          <Chip tone={tone}>{word}</Chip>
        </span>
      )}
    </>
  );
}
