import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { OwnerForm } from '../keys/OwnerForm.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { serviceUsersPath } from './queries.ts';

/** Creates a service user; its first key is made on its page. */
export function NewServiceUserScreen() {
  const { org } = useParams({ from: '/$org/service-users/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="New service user"
      back={
        <Link to="/$org/service-users" params={{ org }} className={backLink} aria-label="Service users">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <OwnerForm
            action="Create the service user"
            values={{ name: '', description: '' }}
            call={(body) => unwrap(apiOf(org).POST(serviceUsersPath, { body }))}
            touches={[keys.lists(org, 'service-users')]}
            done={({ id }) => navigate({ to: '/$org/service-users/$id', params: { org, id } })}
          />
        </Body>
      </Guarded>
    </Page>
  );
}
