import { useNavigate } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { Form, LongTextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { AssignmentFields } from './AssignmentFields.tsx';
import { assignmentsOf, type Assigned } from './assignments.ts';
import { rangeOfLine } from './bundle.ts';
import { Problems } from './Problems.tsx';
import { skillsPath } from './queries.ts';

const template = `---
name: release-notes
description: Writes the notes of a release. Use it when someone asks for release notes.
---
# Release notes

1. List the changes since the last tag.
2. Write one line for each that a user notices.
`;

interface Values extends Assigned {
  content: string;
}

/** Writes a skill of one file; more are added on its page. */
export function WriteSkill({ org }: { org: string }) {
  const navigate = useNavigate();
  const box = useRef<HTMLDivElement>(null);
  const values: Values = { content: template, scope: 'organization', repos: '' };
  const of = useApiForm({
    values,
    fieldOf: (path) => (path.startsWith('files') ? 'content' : path.startsWith('assignments') ? 'repos' : path),
    call: ({ content, ...assigned }: Values) => {
      const body = { files: [{ path: 'SKILL.md', content }], assignments: assignmentsOf(assigned) };
      return unwrap(apiOf(org).POST(skillsPath, { body }));
    },
    touches: [keys.all(org, 'skills')],
    done: ({ id }) => navigate({ to: '/$org/skills/$id', params: { org, id } }),
  });
  const content = useWatch({ control: of.form.control, name: 'content' });
  const files = useMemo(() => [{ path: 'SKILL.md', content }], [content]);
  const goTo = (...[, line]: [string, number]) => {
    const field = box.current?.querySelector('textarea');
    const { start, end } = rangeOfLine(content, Math.max(1, line));
    field?.focus();
    field?.setSelectionRange(start, end);
  };
  return (
    <div ref={box} className="flex flex-col gap-4">
      <Form of={of} action="Create the skill">
        <LongTextField
          name="content"
          label="SKILL.md"
          hint="Agents see the name and the description first, and load the rest when it fits."
          rows={12}
          mono
        />
        <AssignmentFields />
      </Form>
      <Problems org={org} files={files} goTo={goTo} />
    </div>
  );
}
