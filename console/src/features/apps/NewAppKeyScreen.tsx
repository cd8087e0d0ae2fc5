import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { KeyForm } from '../keys/KeyForm.tsx';
import { appKeys } from '../keys/owner.ts';
import { Guarded } from '../shell/Needs.tsx';
import { appQuery } from './queries.ts';

/** Makes a key of an app. */
export function NewAppKeyScreen() {
  const { org, id } = useParams({ from: '/$org/apps/$id/keys/new' });
  const { data } = useQuery(appQuery(org, id));
  const back = (className: string, word: string) => (
    <Link to="/$org/apps/$id" params={{ org, id }} className={className} aria-label="The app">
      {word}
    </Link>
  );
  const name = data?.name;
  return (
    <Page title={name === undefined ? 'New key' : `New key of ${name}`} back={back(backLink, '‹')}>
      <Guarded org={org} scope="org:write">
        <Body>
          <KeyForm owner={appKeys(org, id)} back={back(buttonClass(), 'Done')} />
        </Body>
      </Guarded>
    </Page>
  );
}
