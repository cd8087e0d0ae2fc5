import { Form } from '../../forms/Form.tsx';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { AgentFields } from './AgentFields.tsx';
import type { Agent } from './queries.ts';
import { useAgentForm } from './useAgentForm.ts';
import { requestOf, valuesOf } from './values.ts';

/** Changes an agent; each change is a version. */
export function AgentEditor({ org, agent, problem }: { org: string; agent: Agent; problem: string }) {
  const { id, version } = agent;
  const of = useAgentForm({
    values: valuesOf(agent),
    etag: `"${version}"`,
    call: (values, header) => {
      const params = { path: { agent_id: id }, header };
      return unwrap(apiOf(org).PATCH('/agents/{agent_id}', { params, body: requestOf(values) }));
    },
    touches: [keys.all(org, 'agents'), keys.all(org, 'blueprints')],
    says: ({ version: made }) => `Saved as version ${made}. Sessions that run keep theirs.`,
  });
  return (
    <Form of={of} action="Save as a new version">
      <AgentFields org={org} said={problem} />
    </Form>
  );
}
