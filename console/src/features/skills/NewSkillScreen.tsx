import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { ImportSkill } from './ImportSkill.tsx';
import { UploadSkill } from './UploadSkill.tsx';
import { WriteSkill } from './WriteSkill.tsx';

/** The page that creates a skill: written here, from a zip archive, or from a git repository. */
export function NewSkillScreen() {
  const { org } = useParams({ from: '/$org/skills/new' });
  const { tab = 'write' } = useSearch({ from: '/$org/skills/new' });
  const navigate = useNavigate({ from: '/$org/skills/new' });
  return (
    <Page
      title="New skill"
      back={
        <Link to="/$org/skills" params={{ org }} aria-label="All skills" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="plugins:write">
        <Tabs
          label="Where it comes from"
          value={tab}
          onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
          tabs={[
            { id: 'write', label: 'Write it', content: () => <Body>{<WriteSkill org={org} />}</Body> },
            { id: 'upload', label: 'Upload a zip', content: () => <Body>{<UploadSkill org={org} />}</Body> },
            { id: 'import', label: 'From git', content: () => <Body>{<ImportSkill org={org} />}</Body> },
          ]}
        />
      </Guarded>
    </Page>
  );
}
