import { CheckField, Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Body, Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { AssignmentFields } from './AssignmentFields.tsx';
import { assignedOf, assignmentsOf, type Assigned } from './assignments.ts';
import { skillsPath, type SkillDetail } from './queries.ts';
import { givenTo } from './words.ts';

/** Which sessions get a skill. */
export function SkillSettings({ org, skill }: { org: string; skill: SkillDetail }) {
  const canWrite = useCan(org, 'plugins:write') && skill.source !== 'repository';
  const { license, size_bytes: size, file_count: files, updated_at: at } = skill;
  return (
    <Body>
      {canWrite ? <Edit org={org} skill={skill} /> : <p>For {givenTo(skill)}.</p>}
      <Facts
        facts={[
          ['Size', `${files === 1 ? '1 file' : `${files} files`}, ${Math.ceil(size / 1_024)} KiB`],
          ['License', license === '' ? undefined : license],
          ['Changed', <Time key="at" at={at} />],
        ]}
      />
      {skill.source === 'repository' ? (
        <p className="text-ink-3">It belongs to its repository, and changes with its commits.</p>
      ) : (
        <Needs org={org} scope="plugins:write" what="Changing it" />
      )}
    </Body>
  );
}

function Edit({ org, skill }: { org: string; skill: SkillDetail }) {
  const { id, enabled } = skill;
  const of = useApiForm({
    values: { ...assignedOf(skill), enabled },
    etag: `"${skill.revision}"`,
    fieldOf: (path) => (path.startsWith('assignments') ? 'repos' : path),
    call: ({ enabled: on, ...assigned }: Assigned & { enabled: boolean }, header) => {
      const body = { enabled: on, assignments: assignmentsOf(assigned) };
      return unwrap(apiOf(org).PATCH(`${skillsPath}/{id}`, { params: { path: { id }, header }, body }));
    },
    touches: [keys.all(org, 'skills')],
    says: 'Saved. Sessions that start from now on use it.',
  });
  return (
    <Form of={of} action="Save">
      <AssignmentFields />
      <CheckField name="enabled" label="On: sessions get it" />
    </Form>
  );
}
