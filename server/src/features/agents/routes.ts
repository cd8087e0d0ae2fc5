import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { Agent, AgentRuntimeList, CreateAgent, UpdateAgent } from './schemas.ts';
import { createAgent, deleteAgent, getAgent, listAgentRuntimes, listAgents, updateAgent } from './service.ts';
import * as examples from './examples.ts';

/** Unversioned. */
export function agentRoutes(ctx: Pick<Context, 'db' | 'clock' | 'config' | 'keyRing' | 'runtimes'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/agents',
      id: 'listAgents',
      summary: 'List agents',
      description: 'Newest first, each at its newest version, without deleted ones.',
      scope: 'org:read',
      query: ListQuery({
        search: Type.Optional(Text(200, { minLength: 1, description: 'A part of the name, case-insensitive.' })),
      }),
      status: 200,
      answer: List(Agent),
      handle: ({ caller, query }) => listAgents(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/agents',
      id: 'createAgent',
      summary: 'Create an agent',
      description:
        'Only `name` is required. A session uses it if `agent_id` names it, or if the setting `sessions.default_agent` does. 422 for a model that the organization does not allow or whose provider is not configured, and for a `runtime_config` that does not fit the runtime.',
      scope: 'org:write',
      body: CreateAgent,
      examples: examples.createAgent,
      status: 201,
      answer: Agent,
      handle: ({ caller, body }) => createAgent(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/agents/runtimes',
      id: 'listAgentRuntimes',
      summary: 'List the agent runtimes',
      description:
        'An agent of a runtime that cannot run here can be created, but its sessions are rejected. `problem` says what to do.',
      scope: 'org:read',
      status: 200,
      answer: AgentRuntimeList,
      handle: ({ caller }) => listAgentRuntimes(ctx, caller),
    }),
    route({
      method: 'GET',
      path: '/agents/:agent_id',
      id: 'getAgent',
      summary: 'Get an agent',
      description: 'Returns its newest version; its blueprint has earlier ones.',
      scope: 'org:read',
      params: { agent_id: Id },
      status: 200,
      answer: Agent,
      handle: ({ caller, params }) => getAgent(ctx, caller, params.agent_id),
    }),
    route({
      method: 'PATCH',
      path: '/agents/:agent_id',
      id: 'updateAgent',
      summary: 'Update an agent',
      description: 'All fields are optional; send at least one. Creates a new version; running sessions keep theirs.',
      scope: 'org:write',
      params: { agent_id: Id },
      body: UpdateAgent,
      examples: examples.updateAgent,
      status: 200,
      answer: Agent,
      handle: ({ caller, params, body }) => updateAgent(ctx, caller, params.agent_id, body),
    }),
    route({
      method: 'DELETE',
      path: '/agents/:agent_id',
      id: 'deleteAgent',
      summary: 'Delete an agent',
      description:
        'Running sessions finish; new ones cannot use it. If settings name it as the default, `builtin` takes ' +
        'its place. 409 `conflict` for the agent `builtin`.',
      scope: 'org:write',
      params: { agent_id: Id },
      status: 204,
      answer: Type.Null(),
      record: Agent,
      errors: [409],
      handle: ({ caller, params }) => deleteAgent(ctx, caller, params.agent_id),
    }),
  ];
}
