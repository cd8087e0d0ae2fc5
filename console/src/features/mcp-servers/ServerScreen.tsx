import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { OnChip } from '../../ui/OnOff.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { serverQuery, serversPath, type ServerDetail } from './queries.ts';
import { ServerFacts } from './ServerFacts.tsx';
import { ServerFields } from './ServerFields.tsx';
import { ServerSecrets } from './ServerSecrets.tsx';
import { ServerTest } from './ServerTest.tsx';
import { fieldOf, requestOf, valuesOf, type ServerValues } from './values.ts';

/** An MCP server: whether it works, its secrets, and how sessions reach it. */
export function ServerScreen() {
  const { org, id } = useParams({ from: '/$org/mcp-servers/$id' });
  return (
    <Guarded org={org} scope="plugins:read">
      <ReadServer org={org} id={id} />
    </Guarded>
  );
}

function ReadServer({ org, id }: { org: string; id: string }) {
  const query = useQuery(serverQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="MCP server" />;
  return <OneServer org={org} server={query.data} />;
}

function OneServer({ org, server }: { org: string; server: Tagged<ServerDetail> }) {
  const canWrite = useCan(org, 'plugins:write');
  return (
    <Page
      title={server.name}
      back={
        <Link to="/$org/mcp-servers" params={{ org }} aria-label="All MCP servers" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <OnChip isOn={server.enabled} />
          {canWrite && <ServerMenu org={org} server={server} />}
        </>
      }
    >
      <Body>
        <ServerFacts server={server} />
        <Needs org={org} scope="plugins:write" what="Testing and changing it" />
        {canWrite && <ServerTest org={org} server={server} />}
        <ServerSecrets org={org} server={server} />
        {canWrite && (
          <Section title="Settings">
            <EditServer org={org} server={server} />
          </Section>
        )}
      </Body>
    </Page>
  );
}

function EditServer({ org, server }: { org: string; server: Tagged<ServerDetail> }) {
  const of = useApiForm({
    values: valuesOf(server),
    etag: server.etag,
    fieldOf,
    call: (values: ServerValues, header) => {
      const params = { path: { id: server.id }, header };
      return unwrap(apiOf(org).PATCH(`${serversPath}/{id}`, { params, body: requestOf(values) }));
    },
    touches: [keys.all(org, 'mcp-servers')],
    says: 'Saved.',
  });
  return (
    <Form of={of} action="Save">
      <ServerFields isNew={false} />
    </Form>
  );
}

function ServerMenu({ org, server: { id, name } }: { org: string; server: ServerDetail }) {
  const ask = useConfirm();
  const navigate = useNavigate();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${serversPath}/{id}`, { params: { path: { id } } })),
    touches: [keys.lists(org, 'mcp-servers')],
    says: `${name} is deleted.`,
    leaves: true,
    done: () => navigate({ to: '/$org/mcp-servers', params: { org } }),
  });
  const confirm = async () => {
    const text = 'Sessions no longer get its tools, and its secrets are gone. This cannot be undone.';
    if (await ask({ title: `Delete ${name}?`, text, action: 'Delete the MCP server' })) remove.mutate();
  };
  return (
    <Menu label={`More about ${name}`} items={[{ label: 'Delete …', danger: true, select: () => void confirm() }]} />
  );
}
