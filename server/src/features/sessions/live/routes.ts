import type { HTTPMethods } from 'fastify';
import { Type } from 'typebox';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import { servePreview, type PreviewContext } from './preview-service.ts';
import { openTerminal } from './terminal-service.ts';

const size = (description: string, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: fallback, description }));

const reading: HTTPMethods[] = ['GET', 'HEAD'];
const other: HTTPMethods[] = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function liveRoutes(ctx: PreviewContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sessions/:id/terminal',
      id: 'openSessionTerminal',
      summary: "Open a terminal in a session's sandbox",
      description:
        'A WebSocket to a shell in the sandbox, with the environment of the agent. Binary messages are bytes, in both directions; the only text message is `{"type": "resize", "cols": 80, "rows": 24}`, to the server. Messages have at most 64 KiB. What the terminal prints is masked, and in the log as a `command` with `created_by` and its `output`; what is typed is in the log as far as the terminal prints it. Files that change are part of the next checkpoint. The server closes it with a reason: 1000 the shell ended, 1001 the server or the worker stops, 1008 a message was not allowed, 1011 a connection was lost, 4401 your access ended, 4408 nothing was typed for 30 minutes, 4410 the sandbox ended. Without an upgrade, 426 `upgrade_required` says that it could be opened. 409 `sandbox_not_running` if the session has no sandbox now: send it a message. 403 `forbidden` if the session uses personal secrets of another user. 429 `rate_limited` if four terminals of the session are open. With a cookie, only pages of this installation can open it.',
      scope: 'run',
      ownPages: true,
      asksOthers: true,
      params: { id: Id },
      query: Type.Object(
        { cols: size('Columns of the terminal.', 80), rows: size('Rows of the terminal.', 24) },
        { additionalProperties: false },
      ),
      status: 101,
      answer: Type.Null(),
      followed: {
        answerType: 'application/octet-stream',
        description: 'The messages of the WebSocket, after the 101.',
      },
      errors: [409, 426],
      handle: async ({ caller, params: { id }, query: { cols = 80, rows = 24 }, request, reply }) => {
        await openTerminal(ctx, caller, id, { size: { columns: cols, rows }, request, reply });
        return reply;
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/:id/preview/:port',
      id: 'previewSessionPort',
      summary: "Reach a server in a session's sandbox",
      description:
        "Passes requests below `…/preview/{port}/`, of all methods and for WebSockets, to an HTTP server that listens on this port of the sandbox's loopback interface; the paths below are not listed here. A request with a key is passed on as it is. A browser that is signed in is redirected to a URL with a ticket for this preview, which is valid for an hour and only as long as the sign-in. Pages are isolated by `Content-Security-Policy: sandbox allow-scripts allow-forms`. The server gets neither your credentials nor cookies, and cannot set cookies. At most 32 MiB of a request and 256 MiB of a response; a response must begin within a minute and end within 30. Responses are not masked. 409 `sandbox_not_running` if the session has no sandbox now: send it a message. 409 `not_supported` if its driver cannot. 403 `forbidden` if the session uses personal secrets of another user. 502 `upstream_error` if nothing listens at the port, or the server does not answer properly.",
      scope: 'run',
      asksOthers: true,
      params: {
        id: Id,
        port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'The port of the server in the sandbox.' }),
      },
      query: Type.Object({}, { additionalProperties: true }),
      status: 302,
      answer: Type.Null(),
      followed: { answerType: 'text/html', description: "The server's response." },
      errors: [409, 413, 502],
      handle: async ({ request, reply }) => {
        await servePreview(ctx, request, reply);
        return reply;
      },
    }),
    (app) => {
      void app.register(async (scope) => {
        // Bodies are streamed to the server, whatever they are.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
        const options = {
          config: { scope: 'run', takesTicket: true },
          schema: { hide: true },
          handler: async (request: Parameters<typeof servePreview>[1], reply: Parameters<typeof servePreview>[2]) => {
            await servePreview(ctx, request, reply);
            return reply;
          },
        } as const;
        scope.route({ ...options, method: other, url: '/sessions/:id/preview/:port' });
        scope.route({ ...options, method: [...reading, ...other.slice(1)], url: '/sessions/:id/preview/:port/*' });
      });
    },
  ];
}
