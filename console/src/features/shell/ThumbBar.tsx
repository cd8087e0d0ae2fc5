import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Hand, ListChecks, Plus } from 'lucide-react';
import { count } from '../../lib/format.ts';
import { countsQuery } from '../sessions/queries.ts';
import { useCan } from './useCan.ts';

const place =
  'flex h-14 flex-col items-center justify-center gap-0.5 text-meta text-ink-2 data-[status=active]:font-medium data-[status=active]:text-accent';

/** Where one goes on a phone, in reach of a thumb; it gives way to pages that need the whole screen, and to a keyboard. */
export function ThumbBar({ org }: { org: string }) {
  const { data: counts } = useQuery(countsQuery(org, {}));
  const canRead = useCan(org, 'sessions:read');
  const canRun = useCan(org, 'run');
  if (!canRead) return null;
  const waiting = counts?.needs_you ?? 0;
  const exact = { exact: true, includeSearch: true };
  return (
    <nav
      aria-label="On a phone"
      className="sticky bottom-0 z-1 grid auto-cols-fr grid-flow-col border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] group-has-data-fills/shell:hidden group-has-[:is(input:not([type=checkbox],[type=radio]),textarea):focus]/shell:hidden sm:hidden"
    >
      <Link
        to="/$org/sessions"
        params={{ org }}
        search={{ view: 'table', attention: 'approval,answer,budget' }}
        activeOptions={exact}
        className={place}
      >
        <Hand size={16} strokeWidth={1.5} aria-hidden />
        <span>Needs you {waiting > 0 && <span className="mono text-wait">{count(waiting)}</span>}</span>
      </Link>
      <Link to="/$org/sessions" params={{ org }} activeOptions={exact} className={place}>
        <ListChecks size={16} strokeWidth={1.5} aria-hidden />
        Sessions
      </Link>
      {canRun && (
        <Link to="/$org/sessions/new" params={{ org }} search={{}} className={place}>
          <Plus size={16} strokeWidth={1.5} aria-hidden />
          New
        </Link>
      )}
    </nav>
  );
}
