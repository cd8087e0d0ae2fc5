import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { ChangeRequest, Diff } from '../repositories/change-request-schemas.ts';
import { listChangeRequests } from '../repositories/change-request-service.ts';
import { listArtifacts, openArtifact } from './artifact-service.ts';
import { openForSession } from './change-request-service.ts';
import { SessionContext } from './context-schemas.ts';
import { getSessionContext } from './context-service.ts';
import { sessionDiff, sessionPatch } from './diff-service.ts';
import { Artifact, CreateSessionChangeRequest } from './result-schemas.ts';
import { requireSession } from './service.ts';
import * as examples from './examples.ts';

const params = { id: Id };

/** What came out of a session: its diff, its change requests, its artifacts. */
export function resultRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'blobs' | 'gitHost' | 'keyRing'>,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/diff',
      id: 'getSessionDiff',
      summary: 'What a session changed so far',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Diff,
      errors: [502],
      handle: (exchange) => sessionDiff(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/patch',
      id: 'getSessionPatch',
      summary: 'The same as a patch that git apply takes',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Type.String(),
      answerType: 'text/x-diff',
      errors: [502],
      handle: async (exchange) =>
        exchange.reply
          .type('text/x-diff; charset=utf-8')
          .send(await sessionPatch(ctx, exchange.caller, exchange.params.id)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/context',
      id: 'getSessionContext',
      summary: 'Get what a session was given to know and to use, each with its reason',
      description:
        'Knowledge, memory, skills, tool servers, the browser, secrets by name, and the settings that bear on it. Empty until its first turn has begun.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: SessionContext,
      handle: (exchange) => getSessionContext(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/change-requests',
      id: 'listSessionChangeRequests',
      summary: 'The change requests of a session',
      scope: 'sessions:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(ChangeRequest),
      handle: async (exchange) => {
        const { id } = await requireSession(ctx, exchange.caller.organization.id, exchange.params.id);
        return listChangeRequests(ctx, exchange.caller, { sessionId: id }, exchange.query);
      },
    }),
    route({
      method: 'POST',
      path: '/sessions/:id/change-requests',
      id: 'openSessionChangeRequest',
      summary: 'Open a change request for the branch as it is',
      scope: 'run',
      params,
      body: CreateSessionChangeRequest,
      examples: examples.createChangeRequest,
      status: 201,
      answer: ChangeRequest,
      handle: (exchange) => openForSession(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/artifacts',
      id: 'listSessionArtifacts',
      summary: 'Whole outputs, reports and other files of a session',
      scope: 'sessions:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(Artifact),
      handle: (exchange) => listArtifacts(ctx, exchange.caller, exchange.params.id, exchange.query),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/artifacts/:artifactId',
      id: 'getSessionArtifact',
      summary: 'The content of an artifact',
      scope: 'sessions:read',
      params: { id: Id, artifactId: Id },
      status: 200,
      answer: Type.String(),
      answerType: '*/*',
      errors: [502],
      handle: async ({ caller, params: { id, artifactId }, reply }) => {
        const { artifact, content } = await openArtifact(ctx, caller, id, artifactId);
        return reply
          .type(artifact.content_type)
          .header('content-disposition', `attachment; filename="${artifact.name.replaceAll(/[^\w.-]/g, '_')}"`)
          .header('content-length', artifact.size_bytes)
          .send(content);
      },
    }),
  ];
}
