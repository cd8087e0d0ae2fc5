import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isGone } from '../../lib/errors.ts';
import { useLive } from '../../live/useLive.ts';
import { ConfirmProvider } from '../../ui/Confirm.tsx';
import { Toasts } from '../../ui/Toasts.tsx';
import { useWholeText } from '../../ui/useWholeText.ts';
import { GlobalKeys, type Opened } from './GlobalKeys.tsx';
import { NotHere } from './NotHere.tsx';
import { NotReached } from './NotReached.tsx';
import { Rail } from './Rail.tsx';
import { ThumbBar } from './ThumbBar.tsx';
import { rememberOrganization, selfQuery } from './organizations.ts';
import { useFollowPreferences } from './preferences.ts';
import { useLostFocus } from './useLostFocus.ts';
import { usePageFocus } from './usePageFocus.ts';
import { useRail } from './useRail.ts';

/** The frame of every page of an organization: the rail, a strip while the connection is lost, and the page. */
export function Shell() {
  const { org } = useParams({ from: '/$org' });
  const self = useQuery(selfQuery(org));
  // A question that failed later leaves what is known: the strip tells that the connection is lost.
  const isKnown = self.data !== undefined;
  useWholeText();
  usePageFocus();
  useLostFocus();
  const [opened, setOpened] = useState<Opened>();
  const rail = useRail();
  useEffect(() => {
    if (isKnown) rememberOrganization(org);
  }, [isKnown, org]);
  if (isGone(self.error))
    return (
      <main>
        <NotHere />
      </main>
    );
  if (self.isError && !isKnown) return <NotReached error={self.error} retry={() => void self.refetch()} />;
  return (
    <ConfirmProvider>
      <div className="group/shell flex min-h-dvh flex-col has-data-fills:h-dvh sm:flex-row">
        <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:bg-raised focus:p-2">
          To the page
        </a>
        <Rail org={org} search={() => setOpened('palette')} width={rail} />
        <main id="page" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none has-data-fills:min-h-0">
          {isKnown && <ConnectionStrip org={org} />}
          <Outlet />
        </main>
        <ThumbBar org={org} />
      </div>
      {isKnown && <GlobalKeys org={org} open={opened} setOpen={setOpened} rail={rail} />}
      <Toasts />
    </ConfirmProvider>
  );
}

function ConnectionStrip({ org }: { org: string }) {
  const isOpen = useLive(org);
  useFollowPreferences(org);
  return (
    <div role="status">
      {!isOpen && <p className="bg-wait-soft px-4 py-0.5 text-wait">Reconnecting. What you see may be old.</p>}
    </div>
  );
}
