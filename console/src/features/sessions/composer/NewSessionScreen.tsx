import { Link, useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../../../ui/Page.tsx';
import { Guarded } from '../../shell/Needs.tsx';
import { Composer } from './Composer.tsx';

/** The page that starts a session. A link fills it, but never sends it. */
export function NewSessionScreen() {
  const { org } = useParams({ from: '/$org/sessions/new' });
  const given = useSearch({ from: '/$org/sessions/new' });
  const back = (
    <Link to="/$org/sessions" params={{ org }} aria-label="All sessions" className="px-1 text-title text-ink-3">
      ‹
    </Link>
  );
  return (
    <Page title="New session" back={back}>
      <Guarded org={org} scope="run">
        <Composer org={org} given={given} />
      </Guarded>
    </Page>
  );
}
