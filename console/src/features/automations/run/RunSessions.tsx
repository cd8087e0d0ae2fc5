import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Session } from '../../../lib/api.ts';
import { shortId } from '../../../lib/format.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Section } from '../../../ui/Page.tsx';
import { PhaseRail } from '../../../ui/PhaseRail.tsx';
import { Time } from '../../../ui/Time.tsx';
import { notchesOf } from '../../sessions/state.ts';
import { StateLabel } from '../../sessions/StateLabel.tsx';
import { runSessionsQuery } from '../queries.ts';
import type { AutomationRun } from '../words.ts';

/** The sessions of a run's attempts, oldest first. */
export function RunSessions({ org, run }: { org: string; run: AutomationRun }) {
  const { data, error, refetch } = useQuery({ ...runSessionsQuery(org, run.id), enabled: run.session_id !== null });
  if (run.session_id === null) return null;
  return (
    <Section title="Sessions">
      {error !== null && <Failed error={error} retry={() => void refetch()} />}
      <ol className="flex flex-col">
        {data?.map((session) => (
          <Row key={session.id} org={org} session={session} isNewest={session.id === run.session_id} />
        ))}
      </ol>
    </Section>
  );
}

function Row({ org, session, isNewest }: { org: string; session: Session; isNewest: boolean }) {
  return (
    <li className="relative flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1 hover:bg-sunken">
      <PhaseRail notches={notchesOf(session)} />
      <Link
        to="/$org/sessions/$id"
        params={{ org, id: session.id }}
        className="min-w-0 flex-1 basis-48 truncate font-medium after:absolute after:inset-0 hover:underline"
      >
        {session.title} <code className="font-normal text-ink-3">{shortId(session.id)}</code>
      </Link>
      {isNewest && <span className="text-ink-3">newest attempt</span>}
      <StateLabel session={session} />
      <Money usd={session.usage.cost_usd} />
      <Time at={session.created_at} />
    </li>
  );
}
