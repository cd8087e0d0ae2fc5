import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { KeyForm } from '../keys/KeyForm.tsx';
import { serviceUserKeys } from '../keys/owner.ts';
import { Guarded } from '../shell/Needs.tsx';
import { serviceUserQuery } from './queries.ts';

/** Makes a key of a service user. */
export function NewServiceUserKeyScreen() {
  const { org, id } = useParams({ from: '/$org/service-users/$id/keys/new' });
  const { data } = useQuery(serviceUserQuery(org, id));
  const back = (className: string, word: string) => (
    <Link to="/$org/service-users/$id" params={{ org, id }} className={className} aria-label="The service user">
      {word}
    </Link>
  );
  return (
    <Page title={data === undefined ? 'New key' : `New key of ${data.name}`} back={back(backLink, '‹')}>
      <Guarded org={org} scope="org:write">
        <Body>
          <KeyForm owner={serviceUserKeys(org, id)} back={back(buttonClass(), 'Done')} />
        </Body>
      </Guarded>
    </Page>
  );
}
