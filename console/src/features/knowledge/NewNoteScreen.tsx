import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { newNote, NoteFields, type NoteValues } from './NoteFields.tsx';
import { notesPath } from './queries.ts';

/** The page that writes a note. */
export function NewNoteScreen() {
  const { org } = useParams({ from: '/$org/knowledge/new' });
  return (
    <Page
      title="New note"
      back={
        <Link to="/$org/knowledge" params={{ org }} aria-label="All notes" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="memory:write">
        <Body>
          <NewNote org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function NewNote({ org }: { org: string }) {
  const navigate = useNavigate();
  const form = useApiForm({
    values: newNote,
    call: (body: NoteValues) => unwrap(apiOf(org).POST(notesPath, { body })),
    touches: [keys.all(org, 'knowledge')],
    done: ({ note_id: noteId }) => navigate({ to: '/$org/knowledge/$noteId', params: { org, noteId } }),
  });
  return (
    <Form of={form} action="Create the note">
      <NoteFields />
    </Form>
  );
}
