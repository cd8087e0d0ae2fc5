import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { NoteFields, valuesOf, type NoteValues } from './NoteFields.tsx';
import { notesPath, type Note } from './queries.ts';
import { textOf } from './words.ts';

/** Edits a note. If someone else changed it meanwhile, both texts are shown and the person decides. */
export function NoteEditor({ org, note }: { org: string; note: Note }) {
  const { note_id: noteId, name, revision } = note;
  const of = useApiForm({
    values: valuesOf(note),
    etag: `"${revision}"`,
    text: { name: `${name}.md`, of: (values) => textOf({ ...note, ...values }) },
    call: (body: NoteValues, header) => {
      const params = { path: { noteId }, header };
      return unwrap(apiOf(org).PUT(`${notesPath}/{noteId}`, { params, body }));
    },
    touches: [keys.all(org, 'knowledge')],
    says: 'Saved. Sessions get it from their next turn on.',
  });
  return (
    <>
      <Form of={of} action="Save the note">
        <NoteFields />
      </Form>
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
