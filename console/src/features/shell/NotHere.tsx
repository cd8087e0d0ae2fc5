import { useEffect } from 'react';
import { useIsLeaving } from '../../lib/leaving.ts';
import { forgetRecent } from '../../lib/recents.ts';
import { Empty } from '../../ui/Notice.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';

/** The page for what does not exist, and for what is another organization's; not while a deletion leads elsewhere. */
export function NotHere() {
  return useIsLeaving() ? <SkeletonRows rows={8} height={40} /> : <Missing />;
}

function Missing() {
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
