import { useEffect, useState } from 'react';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { ApiError, apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { TextDiff } from '../../ui/diff/TextDiff.tsx';
import { Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { NoteFields, valuesOf, type NoteValues } from './NoteFields.tsx';
import { notesPath, type Note } from './queries.ts';
import { textOf } from './words.ts';

/** Edits a note. If someone else changed it meanwhile, both texts are shown and the person decides. */
export function NoteEditor({ org, note }: { org: string; note: Note }) {
  const { note_id: noteId } = note;
  const [base, setBase] = useState(note);
  const of = useApiForm({
    values: valuesOf(note),
    call: (body: NoteValues) => {
      const params = { path: { noteId }, header: { 'if-match': `"${base.revision}"` } };
      return unwrap(apiOf(org).PUT(`${notesPath}/{noteId}`, { params, body }));
    },
    touches: [keys.all(org, 'knowledge')],
    says: 'Saved. Sessions get it from their next turn on.',
    done: setBase,
  });
  const { form, isDirty } = of;
  const isBehind = note.revision > base.revision;
  useEffect(() => {
    if (isDirty || !isBehind) return;
    setBase(note);
    form.reset(valuesOf(note));
  }, [isDirty, isBehind, note, form]);
  const takeTheirs = () => {
    setBase(note);
    form.reset(valuesOf(note));
  };
  const isConflict = (isDirty && isBehind) || (of.error instanceof ApiError && of.error.status === 412);
  return (
    <>
      <Form of={of} action="Save the note">
        <NoteFields />
      </Form>
      {isConflict && (
        <section aria-label="Changed meanwhile" className="flex flex-col gap-2 border-l-2 border-wait px-3 py-2">
          <p>
            Someone changed this note {isBehind && <Time at={note.updated_at} />} while you wrote. Their text, and what
            yours changes in it:
          </p>
          <TextDiff name={`${note.name}.md`} before={textOf(note)} after={textOf({ ...note, ...form.getValues() })} />
          <div className="flex flex-wrap gap-2">
            <Button onClick={takeTheirs}>Take their text</Button>
            <Button onClick={() => setBase(note)} disabled={!isBehind || base.revision === note.revision}>
              Keep mine, and save over it
            </Button>
          </div>
        </section>
      )}
      <Facts
        facts={[
          ['Used', note.use_count === 0 ? 'never' : `${note.use_count} times`],
          ['Last used', note.last_used_at === null ? undefined : <Time key="used" at={note.last_used_at} />],
          ['Written by', note.created_by.name === '' ? undefined : note.created_by.name],
          ['Changed', <Time key="changed" at={note.updated_at} />],
        ]}
      />
    </>
  );
}
