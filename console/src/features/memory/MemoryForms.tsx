import { useFormContext, useWatch } from 'react-hook-form';
import { Form, LongTextField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { memoryPath, type MemoryItem, type Place } from './queries.ts';
import { SizeMeter } from './SizeMeter.tsx';

interface Values {
  title: string;
  content: string;
}

/** Writes a memory note of a repository. */
export function NewMemory({ org, place, close }: { org: string; place: Place; close: () => void }) {
  const of = useApiForm({
    values: { title: '', content: '' },
    call: ({ title, content }: Values) =>
      unwrap(apiOf(org).POST(memoryPath, { body: { ...place, content, ...(title.trim() === '' ? {} : { title }) } })),
    touches: [keys.all(org, 'memory')],
    done: close,
  });
  return (
    <Form of={of} action="Create the note" others={<Button onClick={close}>Cancel</Button>}>
      <Fields />
    </Form>
  );
}

/** Changes a memory note; a note that someone else changed meanwhile is not written over. */
export function EditMemory({ org, item, close }: { org: string; item: MemoryItem; close: () => void }) {
  const { memory_id: memoryId, title, content, revision } = item;
  const of = useApiForm({
    values: { title, content },
    etag: `"${revision}"`,
    text: { name: 'memory.md', of: (values) => `${values.title}\n\n${values.content}` },
    call: (body: Values, header) => {
      const params = { path: { memoryId }, header };
      return unwrap(apiOf(org).PATCH(`${memoryPath}/{memoryId}`, { params, body }));
    },
    touches: [keys.all(org, 'memory')],
    says: 'Saved.',
    done: close,
  });
  return (
    <Form of={of} action="Save" others={<Button onClick={close}>Cancel</Button>}>
      <Fields />
    </Form>
  );
}

function Fields() {
  const { control } = useFormContext<Values>();
  const content = useWatch({ control, name: 'content' });
  return (
    <>
      <TextField name="title" label="Title" maxLength={160} />
      <LongTextField name="content" label="What should every session know?" hint="Markdown." rows={8} mono />
      <SizeMeter text={content} />
    </>
  );
}
