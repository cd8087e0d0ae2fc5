import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Snippet } from '../../ui/Copy.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { toolTokenPath, toolTokenQuery } from './queries.ts';

const lifetimes = [1, 7, 30] as const;

/** The token for Guildhall's tools in the person's own agent. */
export function ToolToken({ org }: { org: string }) {
  const query = useQuery(toolTokenQuery(org));
  const touches = [keys.lists(org, 'tool-token')];
  const [days, setDays] = useState(30);
  const confirm = useConfirm();
  const create = useAction({
    call: () => unwrap(apiOf(org).POST(toolTokenPath, { body: { expires_in_days: days } })),
    touches,
  });
  const revoke = useAction({
    call: () => unwrap(apiOf(org).DELETE(toolTokenPath)),
    touches,
    says: 'The token no longer works.',
    done: () => create.reset(),
  });
  if (query.isPending) return null;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { active, created_at: created, expires_at: expires, last_used_at: used } = query.data;
  const replace = async () => {
    const text = 'The present token stops working at once, wherever it is set.';
    if (!active || (await confirm({ title: 'Replace the token?', text, action: 'Replace' }))) create.mutate();
  };
  const end = async () => {
    const text = 'Clients that use it are refused at once.';
    if (await confirm({ title: 'Revoke the token?', text, action: 'Revoke' })) revoke.mutate();
  };
  return (
    <Body>
      <p className="max-w-[72ch] text-read text-ink-2">
        With this token your own agent can use Guildhall's tools by MCP: start sessions, read them, search knowledge. It
        may do what you may do, and nothing but that.
      </p>
      {active && (
        <Facts
          facts={[
            ['Made', created === null ? undefined : <Time key="created" at={created} />],
            ['Expires', expires === null ? undefined : <Time key="expires" at={expires} />],
            ['Last used', used === null ? 'never' : <Time key="used" at={used} />],
          ]}
        />
      )}
      {create.data !== undefined && <Issued token={create.data.token} />}
      <Field label="It expires after">
        {(attributes) => (
          <select
            {...attributes}
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
            className={`${fieldClass} max-w-48`}
          >
            {lifetimes.map((amount) => (
              <option key={amount} value={amount}>
                {amount === 1 ? 'a day' : `${amount} days`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => void replace()} disabled={create.isPending}>
          {active ? 'Replace the token' : 'Create a token'}
        </Button>
        {active && (
          <Button look="danger" onClick={() => void end()}>
            Revoke …
          </Button>
        )}
      </div>
    </Body>
  );
}

function Issued({ token }: { token: string }) {
  const url = `${location.origin}/mcp`;
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return (
    <div className="flex flex-col gap-4 border-l-2 border-ok bg-ok-soft p-3">
      <p className="font-medium" role="status">
        Copy it now: the token is not shown again.
      </p>
      <Snippet label="Token" text={token} />
      <Snippet
        label="Configuration of an MCP client"
        text={JSON.stringify({ mcpServers: { guildhall: server } }, null, 2)}
      />
    </div>
  );
}
