import { createHash } from 'node:crypto';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { finished } from 'node:stream/promises';
import { targetOf } from '../lib/hosts.ts';
import { excessOf, JsonGauge } from '../lib/json-limits.ts';
import { createMask, type Mask } from '../lib/mask/mask.ts';
import { checkUrl, DialError, EgressRefused, type Dialer } from './net/dial.ts';
import { EventRewriter } from './event-rewriter.ts';
import { answerText, relay, sendUpstream, type Exchange } from './net/forward.ts';
import { decodersOf, maskTransform, printable } from './net/masked-answer.ts';
import { memoryFull, type MessageMemory } from './message-memory.ts';
import type { GatewayEvent, McpServer } from './session.ts';

/** The MCP servers of one session. */
export interface McpRoute {
  serves(path: string): boolean;
  /** Serves `/mcp/<slug>` and, below it, the message endpoints of servers with the older SSE transport. */
  serve(exchange: Exchange, url: URL): Promise<void>;
}

interface McpPolicy {
  readonly dialer: Dialer;
  /** Returns the current servers; the same array while they are unchanged. */
  servers(): readonly McpServer[];
  holds(): Promise<boolean>;
  event(event: GatewayEvent): void;
  /** For messages that are buffered until they are complete. */
  readonly memory: MessageMemory;
}

/** One request to an MCP server. */
interface McpCall {
  readonly server: McpServer;
  readonly url: URL;
  readonly mask: Mask;
}

const basePath = '/mcp/';
/** The maximum size of one message to a server. */
const maxMessageBytes = 16 * 1024 * 1024;
/** The maximum size of one message from a server: the worker parses it at once. */
const maxAnswerBytes = 8 * 1024 * 1024;
/** The maximum number of SSE message endpoints stored per session. */
const maxEndpoints = 256;
const passedRequestHeaders = /^(?:accept|content-type|last-event-id|user-agent|mcp-[a-z0-9-]+)$/;
const passedAnswerHeaders = /^(?:cache-control|content-type|retry-after|mcp-[a-z0-9-]+)$/;

/** Returns the path of an MCP server below a gateway's base URL. */
export function mcpServerPath(slug: string): string {
  return `${basePath}${slug}`;
}

/** Makes a request fail with an error response of the gateway itself. */
class Refused extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Creates the route to a session's MCP servers. Drops the client's `authorization`, cookies and origin, adds the headers that
 * the organization configured, and masks their values in responses. A redirect is an error: its target was not checked.
 */
export function createMcpRoute(policy: McpPolicy): McpRoute {
  const endpoints = new Map<string, string>();

  /** Returns the path for the client's messages; `''` when the endpoint is not on the server's own origin. */
  function endpointFor({ server, url }: McpCall, named: string): string {
    const endpoint = URL.parse(named, url.href);
    if (endpoint === null || endpoint.origin !== url.origin || endpoint.username !== '') return '';
    const handle = createHash('sha256').update(`${server.slug} ${endpoint.href}`).digest('base64url').slice(0, 22);
    const [oldest] = endpoints.keys();
    if (endpoints.size >= maxEndpoints && oldest !== undefined) endpoints.delete(oldest);
    endpoints.delete(handle);
    endpoints.set(handle, endpoint.href);
    return `${mcpServerPath(server.slug)}/${handle}`;
  }

  function callOf(path: string): McpCall | undefined {
    const [, slug, handle] = /^\/mcp\/([a-z0-9-]+)(?:\/([\w-]{22}))?\/?$/.exec(path) ?? [];
    const servers = policy.servers();
    const server = servers.find((candidate) => candidate.slug === slug);
    const href = handle === undefined ? server?.url : endpoints.get(handle);
    const url = href === undefined ? null : URL.parse(href);
    // An endpoint must belong to the server's current URL, which may have changed.
    if (server === undefined || url === null || url.origin !== URL.parse(server.url)?.origin) return undefined;
    return { server, url, mask: maskOf(servers) };
  }

  return {
    serves: (path) => path.startsWith(basePath),
    async serve(exchange, { pathname }) {
      const { request, response } = exchange;
      const call = callOf(pathname);
      if (call === undefined) return answerText(response, 404, 'This session has no such MCP server.');
      try {
        const answer = await ask(policy, exchange, call);
        await passOn(policy, exchange, answer, call, (named) => endpointFor(call, named));
      } catch (error) {
        request.resume();
        answerProblem(policy, exchange, error, nameOf(call));
      }
      return undefined;
    },
  };
}

async function ask(policy: McpPolicy, exchange: Exchange, call: McpCall): Promise<IncomingMessage> {
  const { request } = exchange;
  const { method = 'GET' } = request;
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
    throw new Refused(405, 'method', 'Method not allowed. MCP servers accept GET, POST and DELETE.');
  if (policy.memory.isFull) throw new Refused(429, 'too_much', memoryFull);
  const isMessage = method === 'POST';
  if (isMessage && Number(request.headers['content-length'] ?? 0) > maxMessageBytes) {
    // Responding before the body was read would reset the connection and lose the response.
    await finished(request.resume());
    throw tooLarge();
  }
  if (isMessage && !(await policy.holds()))
    throw new Refused(403, 'lease', 'This run has lost its lease: another worker has taken over the session.');
  const checked = await checkUrl(policy.dialer, call.url, 'mcp');
  const passed = Object.entries(request.headers).filter(([name]) => passedRequestHeaders.test(name));
  const upstream = policy.dialer.request(call.url, checked, {
    method,
    headers: {
      ...Object.fromEntries(passed),
      ...(isMessage ? framingOf(request) : {}),
      ...lowerCase(call.server.headers),
      // Compressed responses cannot be masked.
      'accept-encoding': 'identity',
      host: call.url.host,
      connection: 'close',
    },
  });
  if (isMessage) limitBody(request, upstream);
  return sendUpstream(exchange, upstream, isMessage ? request : undefined);
}

/** Streams a message with the framing it came with: a half-sent message must not occupy memory of the gateway. */
function framingOf({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return headers['transfer-encoding'] === undefined
    ? { 'content-length': headers['content-length'] ?? '0' }
    : { 'transfer-encoding': 'chunked' };
}

/** Aborts a message without a content length that is too long. */
function limitBody(request: IncomingMessage, upstream: ClientRequest): void {
  let left = maxMessageBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) upstream.destroy(tooLarge());
  });
}

function tooLarge(): Refused {
  return new Refused(413, 'too_large', 'The message exceeds 16 MiB. Send a smaller one.');
}

async function passOn(
  policy: McpPolicy,
  exchange: Exchange,
  answer: IncomingMessage,
  call: McpCall,
  endpointFor: (named: string) => string,
): Promise<void> {
  const status = answer.statusCode ?? 502;
  const decoders = decodersOf(answer.headers['content-encoding']);
  const name = nameOf(call);
  const problem =
    status >= 300 && status < 400
      ? new Refused(
          502,
          'redirect',
          `${name} responded with a redirect (${status}). Redirects are not followed: correct the server's URL.`,
        )
      : decoders === undefined
        ? new Refused(
            502,
            'encoding',
            `${name} responded with an unsupported content encoding. It must send gzip, deflate, br or no encoding.`,
          )
        : undefined;
  if (problem !== undefined) {
    answer.destroy();
    throw problem;
  }
  const headers: OutgoingHttpHeaders = {};
  for (const [key, value] of Object.entries(answer.headers))
    if (passedAnswerHeaders.test(key)) headers[key] = printable(call.mask.text(String(value)));
  const isStream = /^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '');
  const transforms = isStream
    ? [eventRewriter(policy, call, endpointFor)]
    : [new LimitTransform(maxAnswerBytes), maskTransform(call.mask)];
  await relay(exchange, answer, { status, headers }, [...(decoders ?? []), ...transforms]);
}

function eventRewriter(policy: McpPolicy, call: McpCall, endpointFor: (named: string) => string): Transform {
  const { mask } = call;
  const limits = { maxBytes: maxAnswerBytes, memory: policy.memory };
  const rewriter = new EventRewriter(limits, async (event) => {
    if (event.length <= maxEndpointEventBytes)
      return Buffer.from(mask.text(withEndpoint(event.toString('utf8'), endpointFor)));
    return endpointLines.some((line) => event.includes(`\n${line}`) || event.indexOf(line) === 0)
      ? Buffer.from(': the message endpoint that the server named is too long\n\n')
      : excessOf(event, answerLimits) === undefined
        ? mask.longBytes(event)
        : Buffer.from(': the server sent an event with too many values\n\n');
  });
  rewriter.once('error', ({ message }) => {
    if (message === memoryFull) policy.event({ kind: 'refused', reason: 'tool_server', target: nameOf(call), message });
  });
  return rewriter;
}

/** The maximum length of an endpoint event. */
const maxEndpointEventBytes = 32 * 1024;
const endpointLines = ['event: endpoint\n', 'event:endpoint\n'];

/** Rewrites the first event of the older SSE transport, which names the path for messages, to lead through the gateway. */
function withEndpoint(event: string, endpointFor: (named: string) => string): string {
  const lines = event.split('\n');
  if (!lines.some((line) => /^event: ?endpoint$/.test(line))) return event;
  const data = lines.filter((line) => /^data(?::|$)/.test(line)).map((line) => line.replace(/^data:? ?/, ''));
  const endpoint = endpointFor(data.join('\n').trim());
  return endpoint === ''
    ? ": the message endpoint that the server named is not on the server's origin\n\n"
    : `event: endpoint\ndata: ${endpoint}\n\n`;
}

/** Exceeds real tool results, but is still parsed within milliseconds. */
const answerLimits = { values: 50_000, depth: 500 };

/** Fails for a message that is too long or has too many values to parse. */
class LimitTransform extends Transform {
  readonly #gauge = new JsonGauge(answerLimits);
  #left: number;

  constructor(maxBytes: number) {
    super();
    this.#left = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0 || this.#gauge.push(chunk) !== undefined)
      done(new Error('The MCP server sent a message that is too long.'));
    else done(null, chunk);
  }
}

/** Sends the gateway's own error response. The header `x-guildhall-refused` holds the reason; no server can send it. */
function answerProblem(policy: McpPolicy, { response }: Exchange, error: unknown, name: string): void {
  if (error instanceof EgressRefused) {
    policy.event({ kind: 'refused', reason: error.reason, target: name, message: error.message });
    answerText(response, 403, error.message, { 'x-guildhall-refused': error.reason });
  } else if (error instanceof Refused) {
    answerText(response, error.status, error.message, { 'x-guildhall-refused': error.reason });
  } else {
    const message =
      error instanceof DialError ? error.message : `${name} could not be reached, or the connection broke.`;
    answerText(response, 502, message, { 'x-guildhall-refused': 'unreachable' });
  }
}

function nameOf({ url }: McpCall): string {
  const { host, port } = targetOf(url);
  return `${host}:${port}`;
}

function lowerCase(headers: Readonly<Record<string, string>>): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const masks = new WeakMap<readonly McpServer[], Mask>();

/** Covers all servers: one may know the secrets of another. */
function maskOf(servers: readonly McpServer[]): Mask {
  const known = masks.get(servers);
  if (known !== undefined) return known;
  const mask = createMask(servers.flatMap(({ values }) => values));
  masks.set(servers, mask);
  return mask;
}
