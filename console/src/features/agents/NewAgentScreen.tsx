import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form } from '../../forms/Form.tsx';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { AgentFields } from './AgentFields.tsx';
import { useAgentForm } from './useAgentForm.ts';
import { newAgent, requestOf } from './values.ts';

/** The page that creates an agent. */
export function NewAgentScreen() {
  const { org } = useParams({ from: '/$org/agents/new' });
  return (
    <Page
      title="New agent"
      back={
        <Link to="/$org/agents" params={{ org }} aria-label="All agents" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <NewAgent org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function NewAgent({ org }: { org: string }) {
  const navigate = useNavigate();
  const of = useAgentForm({
    values: newAgent,
    call: (values) => unwrap(apiOf(org).POST('/agents', { body: requestOf(values) })),
    touches: [keys.all(org, 'agents')],
    done: ({ id }) => navigate({ to: '/$org/agents/$id', params: { org, id } }),
  });
  return (
    <Form of={of} action="Create the agent">
      <AgentFields org={org} />
    </Form>
  );
}
