import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { sessionsQuery } from '../sessions/queries.ts';

interface Props {
  org: string;
  repo: string;
  isPending: boolean;
  watch: (session: string) => void;
}

/** Chooses the session that works on a change request which no session opened. */
export function FollowWith({ org, repo, isPending, watch }: Props) {
  const [session, setSession] = useState('');
  const query = useInfiniteQuery(sessionsQuery(org, { repo }));
  const sessions = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (sessions.length === 0) return null;
  return (
    <span className="flex max-w-full flex-wrap gap-2">
      <select
        aria-label="Session that works on it"
        value={session}
        onChange={({ target }) => setSession(target.value)}
        className="h-8 max-w-64 min-w-0 truncate rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
      >
        <option value="">Choose a session …</option>
        {sessions.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <Button disabled={isPending || session === ''} onClick={() => watch(session)}>
        Follow until it merges
      </Button>
    </span>
  );
}
