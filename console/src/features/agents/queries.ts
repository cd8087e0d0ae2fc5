import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Agent = Schemas['Agent'];
export type Runtime = Schemas['AgentRuntime'];
export type Blueprint = Schemas['Blueprint'];

export function agentsListQuery(org: string) {
  return listOptions<Agent>(keys.list(org, 'agents', { rows: true }), (query, signal) =>
    unwrap(apiOf(org).GET('/agents', { params: { query }, signal })),
  );
}

/** The first agents whose name contains a text, to pick one. */
export function agentsFoundQuery(org: string, search: string) {
  return queryOptions({
    queryKey: keys.list(org, 'agents', { search }),
    queryFn: async ({ signal }) => {
      const query = { first: 50, ...(search === '' ? {} : { search }) };
      return (await unwrap(apiOf(org).GET('/agents', { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

export function agentQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'agents', id),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET('/agents/{agent_id}', { params: { path: { agent_id: id } }, signal })),
  });
}

/** The programs that can run agents, with what keeps them from it. */
export function runtimesQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'agents', { runtimes: true }),
    queryFn: async ({ signal }) => (await unwrap(apiOf(org).GET('/agents/runtimes', { signal }))).items,
  });
}

/** The versions of an agent, newest first; few at a time, since each has all that the agent is given. */
export function agentVersionsQuery(org: string, id: string) {
  const blueprint = id.replace(/^agt_/, 'bp_');
  return listOptions<Blueprint>(keys.part(org, 'agents', id, 'versions'), (page, signal) => {
    const params = { path: { id: blueprint }, query: { ...page, first: 10 } };
    return unwrap(apiOf(org).GET('/v3/organizations/{orgId}/blueprints/{id}/versions', { params, signal }));
  });
}

/** The names of the models that the organization allows. */
export function modelNamesQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'models', { names: true }),
    queryFn: async ({ signal }) => {
      const { items } = await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/models', { signal }));
      return items.filter(({ allowed }) => allowed).map(({ id }) => id);
    },
  });
}
