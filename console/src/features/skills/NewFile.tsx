import { useState } from 'react';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { skillsPath } from './queries.ts';

interface Props {
  org: string;
  id: string;
  taken: readonly string[];
  show: (path: string) => void;
}

/** Adds a file to a skill; a name that is taken leads to its file. */
export function NewFile(props: Props) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <AddFile {...props} close={() => setOpen(false)} />;
  return (
    <p>
      <Button onClick={() => setOpen(true)}>Add a file</Button>
    </p>
  );
}

function AddFile({ org, id, taken, show, close }: Props & { close: () => void }) {
  const of = useApiForm({
    values: { path: '' },
    call: async ({ path }: { path: string }) => {
      if (taken.includes(path)) return;
      const params = { path: { id, path } };
      await unwrap(apiOf(org).PUT(`${skillsPath}/{id}/files/{path}`, { params, body: { content: '\n' } }));
    },
    touches: [keys.all(org, 'skills')],
    done: (...[, { path }]) => {
      close();
      show(path);
    },
  });
  return (
    <Form of={of} action="Add" others={<Button onClick={close}>Cancel</Button>}>
      <TextField name="path" label="Path" placeholder="references/table.md" maxLength={255} mono />
    </Form>
  );
}
