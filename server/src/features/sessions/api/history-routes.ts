import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { sendJson } from '../../../http/etags.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id, ListQuery, OneOf } from '../../../http/schema.ts';
import * as examples from '../schemas/examples.ts';
import { CheckpointList, ForkSession } from '../schemas/fork-schemas.ts';
import { Insights } from '../schemas/insight-schemas.ts';
import { Session } from '../schemas/session-schemas.ts';
import { listCheckpoints } from './checkpoint-service.ts';
import { forkSession } from './fork-service.ts';
import { sessionInsights } from './insight-service.ts';
import { sessionTranscript } from './transcript-service.ts';

const params = { id: Id };
const mediaTypes = { jsonl: 'application/x-ndjson', md: 'text/markdown' } as const;

/** The history of a session, and sessions that go on from it. */
export function historyRoutes(
  ctx: Pick<
    Context,
    'db' | 'clock' | 'config' | 'log' | 'baseUrl' | 'blobs' | 'keyRing' | 'runtimes' | 'sourceControl'
  >,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/checkpoints',
      id: 'listSessionCheckpoints',
      summary: "List a session's checkpoints",
      description:
        'Newest first; with several repositories, each has its own. `/diff` shows the newest, and `/fork` starts from one.',
      scope: 'sessions:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: CheckpointList,
      handle: (exchange) => listCheckpoints(ctx, exchange.caller, exchange.params.id, exchange.query),
    }),
    route({
      method: 'POST',
      path: '/sessions/:id/fork',
      id: 'forkSession',
      summary: 'Fork a session',
      description:
        "Creates a session of the caller with the files of a checkpoint, and with the agent, model, options, tags and budget of the forked session, which stays as it is. From the newest checkpoint the agent also has its memory of the conversation; from an earlier one it gets the log up to there as text. The fork delivers on a branch of its own. It does not get secrets that were sent for the forked session alone, but masks their values. 409 `conflict` if there is no checkpoint, or its files are no longer kept; 403 `forbidden` if the session has its creator's personal secrets and the caller is someone else. Otherwise like creating a session.",
      scope: 'run',
      params,
      body: ForkSession,
      examples: examples.forkSession,
      status: 201,
      answer: Session,
      errors: [402, 409, 502],
      handle: async ({ caller, params: { id }, body, reply }) =>
        sendJson(reply, await forkSession(ctx, caller, id, body)),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/insights',
      id: 'getSessionInsights',
      summary: "Get a session's insights",
      description:
        'Figures about how it went, from its log: time by status, phases, tools, commands, changed files and warnings, with observations in words. No model is asked.',
      scope: 'sessions:read',
      params,
      status: 200,
      answer: Insights,
      handle: (exchange) => sessionInsights(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/transcript',
      id: 'getSessionTranscript',
      summary: "Download a session's transcript",
      description:
        'The log up to now, from its first kept event. `format=jsonl` has one event per line in the shape of `/events?compact=true`, with `application/x-ndjson`; `format=md` is a text to read, in which long outputs are shortened, with `text/markdown`. Secrets are masked.',
      scope: 'sessions:read',
      params,
      query: Type.Object(
        {
          format: Type.Optional(
            OneOf(['jsonl', 'md'], { default: 'jsonl', description: '`jsonl` for programs, `md` to read.' }),
          ),
        },
        { additionalProperties: false },
      ),
      status: 200,
      answer: Type.String(),
      answerType: '*/*',
      sends: ['content-disposition'],
      handle: async ({ caller, params: { id }, query: { format = 'jsonl' }, reply }) =>
        reply
          .type(`${mediaTypes[format]}; charset=utf-8`)
          .header('content-disposition', `attachment; filename="${id}.${format}"`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .send(await sessionTranscript(ctx, caller, id, format)),
    }),
  ];
}
