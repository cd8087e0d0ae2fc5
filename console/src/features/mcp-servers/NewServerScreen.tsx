import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { serversPath } from './queries.ts';
import { ServerFields } from './ServerFields.tsx';
import { fieldOf, newServer, requestOf, type ServerValues } from './values.ts';

/** The page that connects an MCP server. */
export function NewServerScreen() {
  const { org } = useParams({ from: '/$org/mcp-servers/new' });
  return (
    <Page
      title="New MCP server"
      back={
        <Link to="/$org/mcp-servers" params={{ org }} aria-label="All MCP servers" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="plugins:write">
        <Body>
          <NewServer org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function NewServer({ org }: { org: string }) {
  const navigate = useNavigate();
  const of = useApiForm({
    values: newServer,
    fieldOf,
    call: (values: ServerValues) => unwrap(apiOf(org).POST(serversPath, { body: requestOf(values) })),
    touches: [keys.all(org, 'mcp-servers')],
    done: ({ id }) => navigate({ to: '/$org/mcp-servers/$id', params: { org, id } }),
  });
  return (
    <Form of={of} action="Create the MCP server">
      <ServerFields isNew />
    </Form>
  );
}
