import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { Blueprint, BlueprintDiff, BlueprintExport, DiffBlueprints } from './schemas.ts';
import { diffBlueprints, exportBlueprints, getBlueprint, listBlueprints, listBlueprintVersions } from './service.ts';
import * as examples from './examples.ts';

/** Read-only: only the agent can be changed. */
export function blueprintRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/blueprints',
      id: 'listBlueprints',
      summary: 'List blueprints',
      description: 'One per agent, at its newest version.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Blueprint),
      handle: ({ caller, query }) => listBlueprints(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/blueprints/export',
      id: 'exportBlueprints',
      summary: 'Export all blueprints',
      description: 'All on one page, each at its newest version. As YAML with `Accept: application/yaml`.',
      scope: 'org:read',
      status: 200,
      answer: BlueprintExport,
      handle: async ({ caller, request, reply }) => asAccepted(request, reply, await exportBlueprints(ctx, caller)),
    }),
    route({
      method: 'POST',
      path: '/blueprints/diff',
      id: 'diffBlueprints',
      summary: 'Compare blueprints',
      description:
        '`to` names a blueprint, optionally with a version, or contains a manifest. The changes are like the operations of a JSON Patch; nothing is written.',
      scope: 'org:read',
      body: DiffBlueprints,
      examples: examples.diffBlueprints,
      status: 200,
      answer: BlueprintDiff,
      handle: ({ caller, body }) => diffBlueprints(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/blueprints/:id',
      id: 'getBlueprint',
      summary: 'Get a blueprint',
      description:
        'Returns its newest version. As YAML with `Accept: application/yaml`. 404 `blueprint_not_found` if its agent was deleted.',
      scope: 'org:read',
      params: { id: Id },
      status: 200,
      answer: Blueprint,
      handle: async ({ caller, params, request, reply }) =>
        asAccepted(request, reply, await getBlueprint(ctx, caller, params.id)),
    }),
    route({
      method: 'GET',
      path: '/blueprints/:id/versions',
      id: 'listBlueprintVersions',
      summary: 'List the versions of a blueprint',
      description:
        'Newest first, one per version of the agent. Each includes what the organization gives all of its agents now.',
      scope: 'org:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(Blueprint),
      handle: ({ caller, params, query }) => listBlueprintVersions(ctx, caller, params.id, query),
    }),
  ];
}

/** Sends JSON, or YAML if the client accepts YAML but not JSON. */
async function asAccepted<T extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: T,
): Promise<T | FastifyReply> {
  const accepted = request.headers.accept ?? '';
  if (!/\b(?:application|text)\/(?:x-)?yaml\b/i.test(accepted) || /\bapplication\/json\b/i.test(accepted))
    return answer;
  const { stringify } = await import('yaml');
  return reply.type('application/yaml; charset=utf-8').send(stringify(JSON.parse(JSON.stringify(answer))));
}
