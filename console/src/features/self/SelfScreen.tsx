import { useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Notifications } from './Notifications.tsx';
import { OwnKeys } from './OwnKeys.tsx';
import { PreferenceList } from './PreferenceList.tsx';
import { Profile } from './Profile.tsx';
import { SignIns } from './SignIns.tsx';
import { ToolToken } from './ToolToken.tsx';

const ids = ['profile', 'keys', 'tool-token', 'sign-ins', 'preferences', 'notifications'] as const;

/** What belongs to the person who signed in. */
export function SelfScreen() {
  const { org } = useParams({ from: '/$org/self' });
  const { tab } = useSearch({ from: '/$org/self' });
  const navigate = useNavigate({ from: '/$org/self' });
  return (
    <Page title="You">
      <Tabs
        label="You"
        value={ids.find((id) => id === tab) ?? 'profile'}
        onChange={(id) => void navigate({ search: id === 'profile' ? {} : { tab: id }, replace: true })}
        tabs={[
          { id: 'profile', label: 'Profile', content: () => <Profile org={org} /> },
          { id: 'keys', label: 'Keys', content: () => <OwnKeys org={org} /> },
          { id: 'tool-token', label: 'MCP token', content: () => <ToolToken org={org} /> },
          { id: 'sign-ins', label: 'Sign-ins', content: () => <SignIns org={org} /> },
          { id: 'preferences', label: 'Preferences', content: () => <PreferenceList org={org} /> },
          { id: 'notifications', label: 'Notifications', content: () => <Notifications org={org} /> },
        ]}
      />
    </Page>
  );
}
