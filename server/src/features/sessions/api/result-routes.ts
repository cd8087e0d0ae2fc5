import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { isCurrent } from '../../../http/etags.ts';
import { Bytes, Id, List, ListQuery, Text } from '../../../http/schema.ts';
import { ChangeRequest, Diff } from '../../repositories/change-request-schemas.ts';
import { sendDiff } from '../../repositories/diff-json.ts';
import { listChangeRequests } from '../../repositories/change-request-service.ts';
import { listArtifacts, openArtifact } from './artifact-service.ts';
import { openForSession } from './change-request-service.ts';
import { SessionContext } from '../schemas/context-schemas.ts';
import { getSessionContext } from './context-service.ts';
import { sessionDiff, sessionDiffTag, sessionPatch } from './diff-service.ts';
import { Artifact, CreateSessionChangeRequest } from '../schemas/result-schemas.ts';
import { requireSession } from './service.ts';
import * as examples from '../schemas/examples.ts';

const params = { id: Id };
/** A browser may keep it, and asks each time if it is still current. */
const kept = { 'cache-control': 'private, no-cache' };

/** The results of a session: its diff, change requests and artifacts. */
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
        'Compares its newest checkpoint with its base commits; empty before the first checkpoint. With several repositories, each path starts with the directory of its repository. `additions` and `deletions` count all files, also with `path`. Secrets are masked. 409 `conflict` for a fork from an earlier checkpoint, until its first turn. With `from`, it compares with that checkpoint, whose commit is `base_commit`; a file over 4 MiB counts as binary. 404 `checkpoint_not_found` unless the session has it; 409 `conflict` if its files are no longer kept, because later work replaced much of it, or it has what became a secret.',
      scope: 'sessions:read',
      params,
      query: Type.Object(
        {
          summary: Type.Optional(
            Type.Boolean({ default: false, description: 'Lists the files without their patches.' }),
          ),
          path: Type.Optional(
            Text(4_096, { minLength: 1, description: 'Only this file, by its path now or before a rename.' }),
          ),
          from: Type.Optional(
            Text(64, { minLength: 1, description: 'Only what changed since this checkpoint of the session.' }),
          ),
        },
        { additionalProperties: false },
      ),
      status: 200,
      answer: Diff,
      tagged: true,
      errors: [409, 502],
      handle: async ({ caller, params: { id }, query, reply }) => {
        if (isCurrent(reply, await sessionDiffTag(ctx, caller, id, query))) return reply.headers(kept).code(304).send();
        const { diff, tag } = await sessionDiff(ctx, caller, id, query);
        return sendDiff(reply.headers({ ...kept, etag: tag }), diff);
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/patch',
      id: 'getSessionPatch',
      summary: "Get a session's patch",
      description:
        'The changes as text for `git apply`, including binary files; several repositories follow one another. 503 `capacity_unavailable` while too many patches are being created. 409 `conflict` like `/diff`.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Type.String(),
      answerType: 'text/x-diff',
      errors: [409, 502],
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
        'What the session was given, each with its reason: knowledge, memory, skills, MCP servers, the browser, secrets by name, and the settings that apply. Empty until its first turn starts.',
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
      description: 'Newest first: those that it opened, and those opened for its branch.',
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
      summary: 'Open a change request',
      description:
        'For a branch that was pushed without one, for example with `deliver: branch` or after a failed check. If one is open for the branch, it is updated. Without `body`, it gets the description that the session wrote for what it pushed: its summary, task and evidence. 409 `session_active` while the session is queued or runs, because it opens its own; 409 `conflict` if it pushed no branch to the repository.',
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
        "Newest first, without their content. If the log has only part of a command's output, an artifact has all of it.",
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
      description: "Returns its bytes as an attachment, with the artifact's media type. 404 `artifact_not_found`.",
      scope: 'sessions:read',
      params: { id: Id, artifactId: Id },
      status: 200,
      answer: Bytes,
      answerType: '*/*',
      sends: ['content-disposition'],
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
