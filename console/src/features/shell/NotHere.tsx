import { useEffect } from 'react';
import { forgetRecent } from '../../lib/recents.ts';
import { Empty } from '../../ui/Notice.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';

/** The page for what does not exist, and for what is another organization's. */
export function NotHere() {
  useEffect(() => forgetRecent(location.pathname), []);
  return (
    <Page title="Not here" recent="">
      <Empty
        action={
          <a className={buttonClass()} href="/console/">
            To the sessions
          </a>
        }
      >
        This is not here. It may be gone, or belong to an organization that you are no member of.
      </Empty>
    </Page>
  );
}
