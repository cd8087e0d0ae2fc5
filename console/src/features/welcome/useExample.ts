import { useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import type { Template } from './steps.ts';

const base = '/v3/organizations/{orgId}';

/** Creates the example's repository, and its agent and session, with what the API says of the template. */
export function useExample(org: string, template: Template) {
  const navigate = useNavigate();
  const { repo, name, first_session: first } = template;
  const create = useAction({
    call: () => unwrap(apiOf(org).POST(`${base}/repositories`, { body: { provider: 'local', repo, template: name } })),
    touches: [keys.all(org, 'welcome'), keys.all(org, 'repositories')],
    says: `${repo} is created.`,
  });
  const start = useAction({
    call: async (by: 'script' | 'builtin') => {
      const agent = by === 'script' ? { agent_id: await scriptOf(org, first.agent) } : {};
      const body = { prompt: first.prompt, repositories: [{ repo }], ...agent };
      return unwrap(apiOf(org).POST(`${base}/sessions`, { body }));
    },
    touches: [keys.all(org, 'welcome'), keys.all(org, 'agents'), keys.lists(org, 'sessions')],
    done: ({ id }) => navigate({ to: '/$org/sessions/$id', params: { org, id } }),
  });
  return { create, start };
}

/** Returns the id of the agent that runs the example's script; creates it for the first session. */
async function scriptOf(org: string, agent: Template['first_session']['agent']): Promise<string> {
  const { items } = await unwrap(apiOf(org).GET('/agents', { params: { query: { first: 200 } } }));
  const known = items.find(({ name, runtime }) => name === agent.name && runtime === agent.runtime);
  return known?.id ?? (await unwrap(apiOf(org).POST('/agents', { body: agent }))).id;
}
