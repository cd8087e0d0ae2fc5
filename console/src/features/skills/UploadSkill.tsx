import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { skillsPath } from './queries.ts';

/** Creates a skill from a zip archive. */
export function UploadSkill({ org }: { org: string }) {
  const [file, setFile] = useState<File>();
  const navigate = useNavigate();
  const send = useAction({
    call: (archive: File) => unwrap(apiOf(org).POST(skillsPath, { body: { file: archive } })),
    touches: [keys.all(org, 'skills')],
    done: ({ id }) => navigate({ to: '/$org/skills/$id', params: { org, id } }),
    errors: 'here',
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== undefined && !send.isPending) send.mutate(file);
      }}
    >
      <Field
        label="A zip archive with SKILL.md in it"
        hint="At most 100 files of 256 KiB each, and 1 MiB in total."
        problem={send.isError ? failureOf(send.error).message : undefined}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept=".zip,.skill"
            onChange={({ target }) => {
              setFile(target.files?.[0]);
              send.reset();
            }}
            className={`${fieldClass} h-auto py-1 pointer-coarse:h-auto pointer-coarse:py-2`}
          />
        )}
      </Field>
      <p>
        <Button type="submit" look="primary" disabled={file === undefined || send.isPending}>
          {send.isPending ? 'Uploading …' : 'Create the skill'}
        </Button>
      </p>
    </form>
  );
}
