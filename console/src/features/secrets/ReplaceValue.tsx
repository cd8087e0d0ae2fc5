import { useState } from 'react';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { secretsPath, type Secret } from './queries.ts';
import { ValueField } from './ValueField.tsx';

/** Replaces the value of a secret; the new one is gone from the page as soon as it is stored. */
export function ReplaceValue({ org, secret }: { org: string; secret: Tagged<Secret> }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Replace org={org} secret={secret} close={() => setOpen(false)} />;
  return (
    <p>
      <Button onClick={() => setOpen(true)}>Replace the value</Button>
    </p>
  );
}

interface ReplaceProps {
  org: string;
  secret: Tagged<Secret>;
  close: () => void;
}

function Replace({ org, secret, close }: ReplaceProps) {
  const { id, key, version, exposure, allowed_hosts: hosts, etag } = secret;
  const of = useApiForm({
    values: { value: '' },
    etag,
    // Where a value may go is part of what the person saw.
    seen: { version, exposure, hosts },
    text: null,
    call: (body: { value: string }, header) =>
      unwrap(apiOf(org).PUT(`${secretsPath}/{id}`, { params: { path: { id }, header }, body })),
    touches: [keys.all(org, 'secrets')],
    says: ({ version: made }) => `${key} has version ${made}. Sessions get it when their next turn starts.`,
    done: close,
  });
  return (
    <Form of={of} action="Replace the value" others={<Button onClick={close}>Cancel</Button>}>
      <ValueField name="value" label="New value" />
    </Form>
  );
}
