import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { followPolicyQuery, type Follow } from './queries.ts';
import { roundWords } from './words.ts';

/** What its session did so far in one line; open, how much of each limit that used. */
export function Rounds({ org, follow }: { org: string; follow: Follow }) {
  const [isOpen, setOpen] = useState(false);
  const { repository_id: repository, since } = follow;
  // Nobody waits for the limits unless they are shown.
  const { data: policy } = useQuery({ ...followPolicyQuery(org, repository), enabled: isOpen });
  const of = (used: number, most: number | undefined) => (most === undefined ? String(used) : `${used} of ${most}`);
  const end = since === null || policy === undefined ? undefined : endOf(since, policy.hours);
  return (
    <details className="basis-full" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer text-ink-2 pointer-coarse:min-h-11">
        {roundWords(follow) || 'No round yet'}
      </summary>
      <div className="py-2">
        <Facts
          facts={[
            ['Rounds for checks', of(follow.ci_rounds, policy?.ci_rounds)],
            ['Rounds for reviews', of(follow.review_rounds, policy?.review_rounds)],
            ['Rounds for conflicts', of(follow.conflict_rounds, policy?.conflict_rounds)],
            ['Pushes', of(follow.pushes, policy?.pushes)],
            ['Checks run again', String(follow.reruns)],
            ['Since', since === null ? undefined : <Time key="since" at={since} />],
            ['Until', end === undefined ? undefined : <Time key="until" at={end} />],
          ]}
        />
      </div>
    </details>
  );
}

function endOf(since: string, hours: number): string {
  return new Date(new Date(since).getTime() + hours * 3_600_000).toISOString();
}
