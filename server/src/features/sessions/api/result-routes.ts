import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, List, ListQuery } from '../../../http/schema.ts';
import { ChangeRequest, Diff } from '../../repositories/change-request-schemas.ts';
import { sendDiff } from '../../repositories/diff-json.ts';
import { listChangeRequests } from '../../repositories/change-request-service.ts';
import { listArtifacts, openArtifact } from './artifact-service.ts';
import { openForSession } from './change-request-service.ts';
import { SessionContext } from '../schemas/context-schemas.ts';
import { getSessionContext } from './context-service.ts';
import { sessionDiff, sessionPatch } from './diff-service.ts';
import { Artifact, CreateSessionChangeRequest } from '../schemas/result-schemas.ts';
import { requireSession } from './service.ts';
import { tellSession } from './event-service.ts';
import * as examples from '../schemas/examples.ts';

const params = { id: Id };

/** What came out of a session: its diff, its change requests, its artifacts. */
export function resultRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'blobs' | 'sourceControl' | 'keyRing' | 'log'>,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/diff',
      id: 'getSessionDiff',
      summary: "Get a session's diff",
      description:
        'Against the commits it began with, as of its newest checkpoint; empty before the first one. With several repositories each path begins with the directory of its repository. Secrets in it are masked.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Diff,
      errors: [502],
      handle: async ({ caller, params: { id }, reply }) => sendDiff(reply, await sessionDiff(ctx, caller, id)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/patch',
      id: 'getSessionPatch',
      summary: "Get a session's patch",
      description:
        'What `/diff` shows, as text, binary files included; of several repositories one behind the other. 503 `capacity_unavailable` while too many are being made.',
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
      summary: "Get a session's context",
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
      summary: "List a session's change requests",
      description: 'Newest first; those that it opened itself, and those that were opened for its branch.',
      scope: 'sessions:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(ChangeRequest),
      handle: async (exchange) => {
        const { id } = await requireSession(ctx, exchange.caller.organization.id, exchange.params.id);
        return listChangeRequests(ctx, exchange.caller, { sessionId: id }, exchange.query, tellSession);
      },
    }),
    route({
      method: 'POST',
      path: '/sessions/:id/change-requests',
      id: 'openSessionChangeRequest',
      summary: 'Open a change request',
      description:
        'For work that was pushed without one, such as with `deliver: branch` or after a check that failed. 409 `session_active` while the session is queued or runs, as it opens its own then, and 409 `conflict` where it pushed no branch to the repository. One that is open for the branch already is brought up to date instead.',
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
      summary: "List a session's artifacts",
      description:
        'Newest first, without their content. What commands print is there in whole where the log holds only part of it.',
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
      summary: 'Download an artifact',
      description:
        "The bytes themselves, as an attachment, of the artifact's own media type. 404 `artifact_not_found`.",
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
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('content-length', artifact.size_bytes)
          .send(content);
      },
    }),
  ];
}
