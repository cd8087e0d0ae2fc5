import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { OwnerForm } from '../keys/OwnerForm.tsx';
import { Guarded } from '../shell/Needs.tsx';

/** Creates an app; its first key is made on its page. */
export function NewAppScreen() {
  const { org } = useParams({ from: '/$org/apps/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="New app"
      back={
        <Link to="/$org/apps" params={{ org }} className={backLink} aria-label="Apps">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <OwnerForm
            action="Create the app"
            values={{ name: '', description: '' }}
            call={(body) => unwrap(apiOf(org).POST('/apps', { body }))}
            touches={[keys.all(org, 'apps')]}
            done={({ id }) => navigate({ to: '/$org/apps/$id', params: { org, id } })}
          />
        </Body>
      </Guarded>
    </Page>
  );
}
