import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { ValueField } from '../secrets/ValueField.tsx';
import { connectionsPath, reachableKey, type Connection } from './queries.ts';
import { TokenNeeds } from './TokenNeeds.tsx';

interface Props {
  org: string;
  connection: Tagged<Connection>;
}

/** What can be changed of a connection: its token or the App, and its name. */
export function Credential({ org, connection }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {connection.kind === 'token' && (
        <Section title="Token">
          {isOpen ? (
            <NewToken org={org} connection={connection} close={() => setOpen(false)} />
          ) : (
            <>
              <p className="text-ink-2">It is stored encrypted. Nobody can read it here.</p>
              <p>
                <Button onClick={() => setOpen(true)}>Give it a new token</Button>
              </p>
            </>
          )}
        </Section>
      )}
      {connection.kind === 'app' && (
        <Section title="App">
          <p className="max-w-[72ch] text-ink-2">
            Its credentials are made with the key of the App, which is stored encrypted. At GitHub you select its
            repositories, accept permissions that it asks for, or install it again.
          </p>
          <p>
            <Link
              to="/$org/git-connections/app"
              params={{ org }}
              search={{ app: connection.app_id }}
              className={buttonClass()}
            >
              Open the App
            </Link>
          </p>
        </Section>
      )}
      <Section title="Settings">
        <Rename org={org} connection={connection} />
      </Section>
    </>
  );
}

function NewToken({ org, connection, close }: Props & { close: () => void }) {
  const { id, host, account, provider, etag } = connection;
  const of = useApiForm({
    values: { token: '' },
    etag,
    // Where the token is sent is part of what the person saw.
    seen: { host, account },
    text: null,
    call: ({ token }: { token: string }, header) =>
      unwrap(
        apiOf(org).PATCH(`${connectionsPath}/{id}`, {
          params: { path: { id }, header },
          body: { token: token.trim() },
        }),
      ),
    touches: [keys.all(org, 'git-connections'), reachableKey(org, id)],
    says: 'It uses the new token from now on.',
    done: close,
  });
  return (
    <Form
      of={of}
      action="Use the new token"
      pending="Asking the host …"
      others={<Button onClick={close}>Cancel</Button>}
    >
      {provider !== 'local' && <TokenNeeds provider={provider} />}
      <ValueField name="token" label="New token" hint="Verified at the host before it replaces the current one." />
    </Form>
  );
}

function Rename({ org, connection: { id, name, etag } }: Props) {
  const of = useApiForm({
    values: { name },
    etag,
    call: (body: { name: string }, header) =>
      unwrap(apiOf(org).PATCH(`${connectionsPath}/{id}`, { params: { path: { id }, header }, body })),
    touches: [keys.all(org, 'git-connections')],
    says: 'Saved.',
  });
  return (
    <Form of={of} action="Save">
      <TextField name="name" label="Name" hint="For people." maxLength={200} />
    </Form>
  );
}
