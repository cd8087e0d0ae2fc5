import { useNavigate } from '@tanstack/react-router';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { AssignmentFields } from './AssignmentFields.tsx';
import { assignmentsOf, type Assigned } from './assignments.ts';
import { skillsPath } from './queries.ts';

interface Values extends Assigned {
  url: string;
  ref: string;
  path: string;
}

/** Creates a skill from a directory of a git repository; the same directory again is a new revision. */
export function ImportSkill({ org }: { org: string }) {
  const navigate = useNavigate();
  const values: Values = { url: '', ref: '', path: '', scope: 'organization', repos: '' };
  const of = useApiForm({
    values,
    fieldOf: (path) => (path.startsWith('assignments') ? 'repos' : path),
    call: ({ url, ref, path, ...assigned }: Values) => {
      const body = { url: url.trim(), ref: ref.trim(), path: path.trim(), assignments: assignmentsOf(assigned) };
      return unwrap(apiOf(org).POST(`${skillsPath}/import`, { body }));
    },
    touches: [keys.all(org, 'skills')],
    done: ({ id }) => navigate({ to: '/$org/skills/$id', params: { org, id } }),
  });
  return (
    <Form of={of} action="Import the skill">
      <TextField
        name="url"
        label="URL of the repository"
        type="url"
        placeholder="https://git.example.com/acme/skills.git"
        hint="Over http or https. Importing the same directory again makes a new revision."
        mono
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField name="path" label="Directory" hint="Empty: the root." placeholder="skills/release-notes" mono />
        <TextField name="ref" label="Branch, tag or commit" hint="Empty: the default branch." mono />
      </div>
      <AssignmentFields />
    </Form>
  );
}
