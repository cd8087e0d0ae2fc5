import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { OnChip } from '../../ui/OnOff.tsx';
import { backLink, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { skillQuery, skillsPath, type SkillDetail } from './queries.ts';
import { SkillFiles } from './SkillFiles.tsx';
import { SkillRevisions } from './SkillRevisions.tsx';
import { SkillSettings } from './SkillSettings.tsx';

/** A skill: its files, its revisions, and which sessions get it. */
export function SkillScreen() {
  const { org, id } = useParams({ from: '/$org/skills/$id' });
  return (
    <Guarded org={org} scope="plugins:read">
      <ReadSkill org={org} id={id} />
    </Guarded>
  );
}

function ReadSkill({ org, id }: { org: string; id: string }) {
  const query = useQuery(skillQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Skill" />;
  return <OneSkill org={org} skill={query.data} />;
}

function OneSkill({ org, skill }: { org: string; skill: SkillDetail }) {
  const { name, enabled, revision, source } = skill;
  const { tab = 'files', file = 'SKILL.md' } = useSearch({ from: '/$org/skills/$id' });
  const navigate = useNavigate({ from: '/$org/skills/$id' });
  const isOurs = source !== 'repository';
  const canWrite = useCan(org, 'plugins:write') && isOurs;
  return (
    <Page
      title={name}
      back={
        <Link to="/$org/skills" params={{ org }} aria-label="All skills" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <OnChip isOn={enabled} />
          {isOurs && <span className="text-ink-3">revision {revision}</span>}
          {canWrite && <SkillMenu org={org} skill={skill} />}
        </>
      }
    >
      <Tabs
        label="Parts of the skill"
        value={tab}
        onChange={(next) => void navigate({ search: next === 'files' ? {} : { tab: next } })}
        tabs={[
          {
            id: 'files',
            label: 'Files',
            content: () => (
              <SkillFiles
                org={org}
                skill={skill}
                path={file}
                show={(path) => void navigate({ search: { file: path } })}
                canWrite={canWrite}
              />
            ),
          },
          ...(isOurs
            ? [
                {
                  id: 'revisions' as const,
                  label: 'Revisions',
                  content: () => <SkillRevisions org={org} id={skill.id} />,
                },
              ]
            : []),
          { id: 'settings', label: 'Sessions', content: () => <SkillSettings org={org} skill={skill} /> },
        ]}
      />
    </Page>
  );
}

function SkillMenu({ org, skill: { id, name } }: { org: string; skill: SkillDetail }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${skillsPath}/{id}`, { params: { path: { id } } })),
    touches: [keys.lists(org, 'skills')],
    says: `${name} is deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/skills', params: { org } }),
  });
  const confirm = async () => {
    const text = 'New sessions no longer get it, and its revisions are gone. This cannot be undone.';
    if (await ask({ title: `Delete ${name}?`, text, action: 'Delete the skill' })) remove.mutate();
  };
  return (
    <Menu label={`More about ${name}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
