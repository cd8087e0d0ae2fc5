import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PhaseRail } from '../../../../ui/PhaseRail.tsx';
import { sessionQuery } from '../../queries.ts';
import { notchesOf } from '../../state.ts';
import { StateLabel } from '../../StateLabel.tsx';
import { Line } from './Line.tsx';

/** A session that this one started, as it is now. */
export function ChildRow({ org, id }: { org: string; id: string }) {
  const { data: child } = useQuery(sessionQuery(org, id));
  return (
    <Line>
      <Link
        to="/$org/sessions/$id"
        params={{ org, id }}
        className="flex min-h-6 flex-wrap pointer-coarse:min-h-11 items-center gap-2 hover:underline"
      >
        {child === undefined ? (
          'Started another session'
        ) : (
          <>
            <PhaseRail notches={notchesOf(child)} />
            <span className="min-w-0 truncate font-medium">{child.title}</span>
            <StateLabel session={child} />
          </>
        )}
      </Link>
    </Line>
  );
}
