import { useState } from 'react';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Section } from '../../ui/Page.tsx';
import { ValueField } from '../secrets/ValueField.tsx';
import { useCan } from '../shell/useCan.ts';
import { secretsOf, type NamedSecret } from './lines.ts';
import { serversPath, type ServerDetail } from './queries.ts';

/** The secrets of an MCP server, by name: set or not. */
export function ServerSecrets({ org, server }: { org: string; server: Tagged<ServerDetail> }) {
  const secrets = secretsOf(server);
  return (
    <Section title="Secrets">
      {secrets.length === 0 ? (
        <p className="text-ink-2">
          It has none. A header or a variable with <code>{'${NAME}'}</code> in it asks for one.
        </p>
      ) : (
        <ul>
          {secrets.map((secret) => (
            <ServerSecret key={secret.name} org={org} server={server} secret={secret} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface SecretProps {
  org: string;
  server: Tagged<ServerDetail>;
  secret: NamedSecret;
}

function ServerSecret({ org, server, secret: { name, isUsed, isSet } }: SecretProps) {
  const [isOpen, setOpen] = useState(false);
  const canWrite = useCan(org, 'plugins:write');
  const ask = useConfirm();
  const remove = useAction({
    call: () => {
      const params = { path: { id: server.id, name } };
      return unwrap(apiOf(org).DELETE(`${serversPath}/{id}/secrets/{name}`, { params }));
    },
    touches: [keys.all(org, 'mcp-servers')],
    says: `${name} has no value any more.`,
  });
  const confirm = async () => {
    const text = isUsed ? `${server.name} needs it to work.` : 'Its value is gone. This cannot be undone.';
    if (await ask({ title: `Delete ${name}?`, text, action: 'Delete the secret' })) remove.mutate();
  };
  return (
    <li className="flex flex-col gap-2 border-b border-line py-1">
      <div className="flex min-h-8 flex-wrap items-center gap-3">
        <code className="min-w-0 break-all">{name}</code>
        <Chip tone={isSet ? 'plain' : 'wait'}>{isSet ? 'set' : 'not set'}</Chip>
        <span className="flex-1 text-ink-3">{isUsed ? '' : 'nothing uses it'}</span>
        {canWrite && !isOpen && (
          <>
            <Button onClick={() => setOpen(true)} aria-label={`${isSet ? 'Replace' : 'Set'} ${name}`}>
              {isSet ? 'Replace' : 'Set'}
            </Button>
            {isSet && (
              <Button look="bare" onClick={() => void confirm()} aria-label={`Delete ${name}`}>
                Delete
              </Button>
            )}
          </>
        )}
      </div>
      {isOpen && <SetValue org={org} server={server} name={name} close={() => setOpen(false)} />}
    </li>
  );
}

interface SetValueProps {
  org: string;
  server: Tagged<ServerDetail>;
  name: string;
  close: () => void;
}

function SetValue({ org, server, name, close }: SetValueProps) {
  const { id, url, headers, command, args, env, etag } = server;
  const of = useApiForm({
    values: { value: '' },
    etag,
    // Where the value goes is part of what the person saw.
    seen: { url, headers, command, args, env },
    text: null,
    call: (body: { value: string }, header) =>
      unwrap(apiOf(org).PUT(`${serversPath}/{id}/secrets/{name}`, { params: { path: { id, name }, header }, body })),
    touches: [keys.all(org, 'mcp-servers')],
    says: `${name} is stored. Nobody can read it here.`,
    done: close,
  });
  return (
    <Form of={of} action="Store the value" others={<Button onClick={close}>Cancel</Button>}>
      <ValueField name="value" label={`Value of ${name}`} />
    </Form>
  );
}
