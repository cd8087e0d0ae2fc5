import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
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
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Agent),
      handle: ({ caller, query }) => listAgents(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/agents',
      id: 'createAgent',
      summary: 'Create an agent',
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
      summary: 'What can run an agent on this installation, and what stands in the way for this organization',
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
      description:
        'Every field is optional, at least one is needed. Makes a new version; running sessions keep theirs.',
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
      summary: 'Delete an agent; its running sessions finish',
      scope: 'org:write',
      params: { agent_id: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => deleteAgent(ctx, caller, params.agent_id),
    }),
  ];
}
