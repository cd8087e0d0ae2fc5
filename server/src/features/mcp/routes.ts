import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../http/route.ts';
import { AppError } from '../../lib/errors.ts';
import { codeTools } from './code-tools.ts';
import { knowledgeTools } from './knowledge-tools.ts';
import { sessionTools } from './session-tools.ts';
import type { Tool } from './tool.ts';
import { fieldError } from '../../lib/field-error.ts';

type McpContext = Parameters<typeof sessionTools>[0] &
  Parameters<typeof knowledgeTools>[0] &
  Parameters<typeof codeTools>[0];

/**
 * The platform's own MCP server at `/mcp`, over streamable HTTP without sessions: only POST is supported. Accepts API
 * keys and a user's tool token; a tool may do what the caller may do.
 */
export function mcpRoutes(ctx: McpContext): Route[] {
  const tools = [...sessionTools(ctx), ...knowledgeTools(ctx), ...codeTools(ctx)];
  return [
    (app) => {
      app.route({
        method: 'POST',
        url: '/mcp',
        config: { scope: 'any', audience: 'mcp' },
        schema: { hide: true },
        handler: (request, reply) => serve(ctx, tools, request, reply),
      });
      app.route({
        method: ['GET', 'DELETE'],
        url: '/mcp',
        config: { scope: 'any', audience: 'mcp' },
        schema: { hide: true },
        handler: (_request, reply) => notAllowed(reply),
      });
    },
  ];
}

async function serve(ctx: McpContext, tools: Tool[], request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { caller, body } = request;
  checkOrigin(request.headers.origin, ctx.baseUrl());
  // Requests count against the key's rate limit, so each contains one message.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fieldError('', 'must be a single JSON-RPC message; batches are not supported.');
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  // Loaded on the first message: the protocol's library is large, and most processes never need it.
  const { answerMessage } = await import('./server.ts');
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const url = new URL('/mcp', ctx.baseUrl()).href;
  const denied = (code: string): void => void (request.errorCode = code);
  const answer = await answerMessage({ caller, tools, log: ctx.log, url, headers, body, denied, gone: gone.signal });
  return reply.send(answer);
}

/** Rejects GET and DELETE: the server sends nothing on its own and has no sessions to end. */
function notAllowed(reply: FastifyReply): FastifyReply {
  return reply
    .code(405)
    .header('allow', 'POST')
    .type('application/json; charset=utf-8')
    .send({
      jsonrpc: '2.0',
      error: { code: -32_000, message: 'Send messages with POST; this server keeps no sessions.' },
      id: null,
    });
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Rejects pages of other sites: with DNS rebinding they can reach this server, but their `Origin` still names the site
 * (MCP, transports, security warning). Programs send no origin; pages of this machine and of this installation are
 * allowed.
 */
function checkOrigin(origin: string | undefined, baseUrl: string): void {
  if (origin === undefined) return;
  const from = URL.parse(origin);
  if (from === null || !(loopback.has(from.hostname) || from.origin === new URL(baseUrl).origin))
    throw new AppError(
      'forbidden',
      `Web pages of ${JSON.stringify(origin.slice(0, 200))} are not allowed to call this server.`,
    );
}
