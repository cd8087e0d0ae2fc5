import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../../lib/useSearch.ts';
import { Page, backLink } from '../../../ui/Page.tsx';
import { Guarded } from '../../shell/Needs.tsx';
import { Composer } from './Composer.tsx';

/** The page that starts a session. A link fills it, but never sends it. */
export function NewSessionScreen() {
  const { org } = useParams({ from: '/$org/sessions/new' });
  const given = useSearch({ from: '/$org/sessions/new' });
  const navigate = useNavigate({ from: '/$org/sessions/new' });
  // A reload would put it in the place of what was entered since.
  const forgetGiven = () => void navigate({ search: {}, replace: true, resetScroll: false });
  const back = (
    <Link to="/$org/sessions" params={{ org }} aria-label="All sessions" className={backLink}>
      ‹
    </Link>
  );
  return (
    <Page title="New session" back={back}>
      <Guarded org={org} scope="run">
        <Composer org={org} given={given} onFirst={forgetGiven} />
      </Guarded>
    </Page>
  );
}
