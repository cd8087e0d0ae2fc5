import { useState } from 'react';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { secretsPath, type Secret } from './queries.ts';
import { ValueField } from './ValueField.tsx';

/** Replaces the value of a secret; the new one is gone from the page as soon as it is stored. */
export function ReplaceValue({ org, secret }: { org: string; secret: Secret }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Replace org={org} secret={secret} close={() => setOpen(false)} />;
  return (
    <p>
      <Button onClick={() => setOpen(true)}>Replace the value</Button>
    </p>
  );
}

function Replace({ org, secret: { id, key }, close }: { org: string; secret: Secret; close: () => void }) {
  const of = useApiForm({
    values: { value: '' },
    call: (body: { value: string }) =>
      unwrap(apiOf(org).PUT(`${secretsPath}/{id}`, { params: { path: { id } }, body })),
    touches: [keys.all(org, 'secrets')],
    says: ({ version }) => `${key} has version ${version}. Sessions get it when their next turn starts.`,
    done: close,
  });
  return (
    <Form of={of} action="Replace the value" others={<Button onClick={close}>Cancel</Button>}>
      <ValueField name="value" label="New value" />
    </Form>
  );
}
