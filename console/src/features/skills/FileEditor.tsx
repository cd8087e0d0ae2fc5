import { useMemo, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { CheckField, Form, LongTextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { rangeOfLine, uploadOf, withFile } from './bundle.ts';
import { Problems } from './Problems.tsx';
import { skillsPath, type SkillDetail, type SkillFile } from './queries.ts';

interface Props {
  org: string;
  skill: SkillDetail;
  file: SkillFile;
  /** Every file of the skill; undefined until all are read. */
  all: readonly SkillFile[] | undefined;
  show: (path: string) => void;
}

/** Edits a file of a skill; problems of the whole skill stand below, by line. */
export function FileEditor({ org, skill, file, all, show }: Props) {
  const { path } = file;
  const box = useRef<HTMLDivElement>(null);
  const of = useApiForm({
    values: { content: file.content, executable: file.executable },
    etag: `"${skill.revision}"`,
    // Its content may be read a moment after the skill.
    seen: skill.files.find((one) => one.path === path)?.sha256,
    text: {
      name: path,
      of: ({ content: text, executable: isProgram }) => (isProgram ? `${text}\n(executable)\n` : text),
    },
    call: (body: { content: string; executable: boolean }, header) => {
      const params = { path: { id: skill.id, path }, header };
      return unwrap(apiOf(org).PUT(`${skillsPath}/{id}/files/{path}`, { params, body }));
    },
    touches: [keys.all(org, 'skills')],
    says: ({ revision }) => `Saved as revision ${revision}.`,
  });
  const [content, executable] = useWatch({ control: of.form.control, name: ['content', 'executable'] });
  const files = useMemo(
    () => (all === undefined ? undefined : withFile(all, { path, content, encoding: 'utf8', executable })),
    [all, path, content, executable],
  );
  const goTo = (name: string, line: number) => {
    if (name !== path) return show(name);
    const field = box.current?.querySelector('textarea');
    const { start, end } = rangeOfLine(content, Math.max(1, line));
    field?.focus();
    field?.setSelectionRange(start, end);
  };
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-4">
      <Form
        of={of}
        action="Save as a new revision"
        others={path !== 'SKILL.md' && <DeleteFile org={org} skill={skill} path={path} all={all} show={show} />}
      >
        <LongTextField name="content" label={path} rows={16} mono />
        <CheckField name="executable" label="Executable" />
      </Form>
      <Problems org={org} files={files} goTo={goTo} />
    </div>
  );
}

function DeleteFile({ org, skill, path, all, show }: Omit<Props, 'file'> & { path: string }) {
  const ask = useConfirm();
  const remove = useAction({
    call: () => {
      const params = { path: { id: skill.id }, header: { 'if-match': `"${skill.revision}"` } };
      const files = (all ?? []).filter((file) => file.path !== path).map(uploadOf);
      return unwrap(apiOf(org).PATCH(`${skillsPath}/{id}`, { params, body: { files } }));
    },
    touches: [keys.all(org, 'skills')],
    says: ({ revision }) => `${path} is gone since revision ${revision}.`,
    done: () => show('SKILL.md'),
  });
  const confirm = async () => {
    const text = 'Sessions that start from now on get the skill without it.';
    if (await ask({ title: `Delete ${path}?`, text, action: 'Delete the file' })) remove.mutate();
  };
  return (
    <Button look="bare" onClick={() => void confirm()} disabled={all === undefined || remove.isPending}>
      Delete the file
    </Button>
  );
}
