import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failed } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { settingsQuery } from './queries.ts';
import { SettingsOverview } from './SettingsList.tsx';

/** The namespaces of an organization's settings. */
export function SettingsScreen() {
  const { org } = useParams({ from: '/$org/settings' });
  return (
    <Page title="Settings">
      <Guarded org={org} scope="org:read">
        <Overview org={org} />
      </Guarded>
    </Page>
  );
}

function Overview({ org }: { org: string }) {
  const all = useQuery(settingsQuery(org));
  if (all.isPending) return <SkeletonRows rows={11} height={48} />;
  if (all.isError) return <Failed error={all.error} retry={() => void all.refetch()} />;
  return <SettingsOverview org={org} all={all.data} />;
}
