import { Link, useParams } from '@tanstack/react-router';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { KeyForm } from '../keys/KeyForm.tsx';
import { ownKeys } from '../keys/owner.ts';

/** Makes a key of the person who signed in. */
export function NewOwnKeyScreen() {
  const { org } = useParams({ from: '/$org/self/keys/new' });
  const back = (className: string, word: string) => (
    <Link to="/$org/self" params={{ org }} search={{ tab: 'keys' }} className={className} aria-label="Your keys">
      {word}
    </Link>
  );
  return (
    <Page title="New key" back={back(backLink, '‹')}>
      <Body>
        <KeyForm owner={ownKeys(org)} back={back(buttonClass(), 'Done')} />
      </Body>
    </Page>
  );
}
