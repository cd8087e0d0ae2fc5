import { useEffect } from 'react';
import { forgetRecent } from '../../lib/recents.ts';
import { useTitle } from '../../lib/title.ts';
import { Empty } from '../../ui/Notice.tsx';
import { buttonClass } from '../../ui/Button.tsx';

/** The page for what does not exist, and for what is another organization's. */
export function NotHere() {
  useTitle('Not here', '');
  useEffect(() => forgetRecent(location.pathname), []);
  return (
    <Empty
      action={
        <a className={buttonClass()} href="/console/">
          To the sessions
        </a>
      }
    >
      This is not here. It may be gone, or belong to an organization that you are no member of.
    </Empty>
  );
}
