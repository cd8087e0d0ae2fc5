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
import { noRoom, type Room } from './room.ts';
import type { GatewayEvent, ToolServer } from './session.ts';

/** The tool servers of one session. */
export interface ToolServerRoute {
  serves(path: string): boolean;
  /** Serves `/mcp/<slug>`, and below it the endpoints that a server of the older SSE transport names. */
  serve(exchange: Exchange, url: URL): Promise<void>;
}

interface ToolServerPolicy {
  readonly dialer: Dialer;
  /** As they are now; the same array as long as they stay the same. */
  servers(): readonly ToolServer[];
  holds(): Promise<boolean>;
  event(event: GatewayEvent): void;
  /** For what is held until it is whole. */
  readonly room: Room;
}

/** One request as it goes on. */
interface ToolCall {
  readonly server: ToolServer;
  readonly url: URL;
  readonly mask: Mask;
}

const beginning = '/mcp/';
/** One message to a server. */
const maxMessageBytes = 16 * 1024 * 1024;
/** One of a server: the worker parses it in a moment. */
const maxAnswerBytes = 8 * 1024 * 1024;
/** How many endpoints of older servers a session's door remembers. */
const maxEndpoints = 256;
const passedRequestHeaders = /^(?:accept|content-type|last-event-id|user-agent|mcp-[a-z0-9-]+)$/;
const passedAnswerHeaders = /^(?:cache-control|content-type|retry-after|mcp-[a-z0-9-]+)$/;

/** Where a tool server lies below a gateway's base URL. */
export function toolServerPath(slug: string): string {
  return `${beginning}${slug}`;
}

/** What makes a request fail with an answer of the gateway's own. */
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
 * Makes the way to a session's tool servers. What a client says of itself (`authorization`, cookies, an origin) stays behind;
 * the headers that the organization configured are added here, and nothing in an answer shows what they hold. A redirect
 * is an error: it would lead where nobody looked.
 */
export function createToolServerRoute(policy: ToolServerPolicy): ToolServerRoute {
  const endpoints = new Map<string, string>();

  /** Where the client is to send its messages: at the server's own origin, or nowhere. */
  function endpointFor({ server, url }: ToolCall, named: string): string {
    const endpoint = URL.parse(named, url.href);
    if (endpoint === null || endpoint.origin !== url.origin || endpoint.username !== '') return '';
    const handle = createHash('sha256').update(`${server.slug} ${endpoint.href}`).digest('base64url').slice(0, 22);
    const [oldest] = endpoints.keys();
    if (endpoints.size >= maxEndpoints && oldest !== undefined) endpoints.delete(oldest);
    endpoints.delete(handle);
    endpoints.set(handle, endpoint.href);
    return `${toolServerPath(server.slug)}/${handle}`;
  }

  function callOf(path: string): ToolCall | undefined {
    const [, slug, handle] = /^\/mcp\/([a-z0-9-]+)(?:\/([\w-]{22}))?\/?$/.exec(path) ?? [];
    const servers = policy.servers();
    const server = servers.find((candidate) => candidate.slug === slug);
    const href = handle === undefined ? server?.url : endpoints.get(handle);
    const url = href === undefined ? null : URL.parse(href);
    // An endpoint is of the server as it is now: it may have moved since.
    if (server === undefined || url === null || url.origin !== URL.parse(server.url)?.origin) return undefined;
    return { server, url, mask: maskOf(servers) };
  }

  return {
    serves: (path) => path.startsWith(beginning),
    async serve(exchange, { pathname }) {
      const { request, response } = exchange;
      const call = callOf(pathname);
      if (call === undefined) return answerText(response, 404, 'This session has no such tool server.');
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

async function ask(policy: ToolServerPolicy, exchange: Exchange, call: ToolCall): Promise<IncomingMessage> {
  const { request } = exchange;
  const { method = 'GET' } = request;
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
    throw new Refused(405, 'method', 'A tool server takes GET, POST and DELETE.');
  if (policy.room.isFull) throw new Refused(429, 'too_much', noRoom);
  const isMessage = method === 'POST';
  if (isMessage && Number(request.headers['content-length'] ?? 0) > maxMessageBytes) {
    // Who is still sending would be cut off, and not hear why.
    await finished(request.resume());
    throw tooLarge();
  }
  if (isMessage && !(await policy.holds()))
    throw new Refused(403, 'lease', 'This run has lost its lease; another one goes on with the session.');
  const checked = await checkUrl(policy.dialer, call.url, 'mcp');
  const passed = Object.entries(request.headers).filter(([name]) => passedRequestHeaders.test(name));
  const upstream = policy.dialer.request(call.url, checked, {
    method,
    headers: {
      ...Object.fromEntries(passed),
      ...(isMessage ? framingOf(request) : {}),
      ...lowerCase(call.server.headers),
      // What is compressed cannot be masked.
      'accept-encoding': 'identity',
      host: call.url.host,
      connection: 'close',
    },
  });
  if (isMessage) limitBody(request, upstream);
  return sendUpstream(exchange, upstream, isMessage ? request : undefined);
}

/** A message goes on while it comes, framed as it came: nobody can have the gateway hold what was half sent. */
function framingOf({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return headers['transfer-encoding'] === undefined
    ? { 'content-length': headers['content-length'] ?? '0' }
    : { 'transfer-encoding': 'chunked' };
}

/** Breaks a message off that did not say how long it is, and is too long. */
function limitBody(request: IncomingMessage, upstream: ClientRequest): void {
  let left = maxMessageBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) upstream.destroy(tooLarge());
  });
}

function tooLarge(): Refused {
  return new Refused(413, 'too_large', 'The message is larger than 16 MiB.');
}

async function passOn(
  policy: ToolServerPolicy,
  exchange: Exchange,
  answer: IncomingMessage,
  call: ToolCall,
  endpointFor: (named: string) => string,
): Promise<void> {
  const status = answer.statusCode ?? 502;
  const decoders = decodersOf(answer.headers['content-encoding']);
  const name = nameOf(call);
  const problem =
    status >= 300 && status < 400
      ? new Refused(502, 'redirect', `${name} answered with a redirect (${status}), which is not followed.`)
      : decoders === undefined
        ? new Refused(502, 'encoding', `${name} answered in an encoding that cannot be looked into.`)
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

function eventRewriter(policy: ToolServerPolicy, call: ToolCall, endpointFor: (named: string) => string): Transform {
  const { mask } = call;
  const limits = { maxBytes: maxAnswerBytes, room: policy.room };
  const rewriter = new EventRewriter(limits, async (event) => {
    if (event.length <= maxEndpointEventBytes)
      return Buffer.from(mask.text(withEndpoint(event.toString('utf8'), endpointFor)));
    return endpointLines.some((line) => event.includes(`\n${line}`) || event.indexOf(line) === 0)
      ? Buffer.from(': the endpoint that the server named is too long\n\n')
      : excessOf(event, answerLimits) === undefined
        ? mask.longBytes(event)
        : Buffer.from(': an event that the server sent holds too many values\n\n');
  });
  rewriter.once('error', ({ message }) => {
    if (message === noRoom) policy.event({ kind: 'refused', reason: 'tool_server', target: nameOf(call), message });
  });
  return rewriter;
}

/** No path is longer. */
const maxEndpointEventBytes = 32 * 1024;
const endpointLines = ['event: endpoint\n', 'event:endpoint\n'];

/** The first event of the older transport names the path for messages; it is to lead through the gateway as well. */
function withEndpoint(event: string, endpointFor: (named: string) => string): string {
  const lines = event.split('\n');
  if (!lines.some((line) => /^event: ?endpoint$/.test(line))) return event;
  const data = lines.filter((line) => /^data(?::|$)/.test(line)).map((line) => line.replace(/^data:? ?/, ''));
  const endpoint = endpointFor(data.join('\n').trim());
  return endpoint === ''
    ? ': the endpoint that the server named is not at its own origin\n\n'
    : `event: endpoint\ndata: ${endpoint}\n\n`;
}

/** More than tools answer, and little enough that whoever asked parses it in a moment. */
const answerLimits = { values: 50_000, depth: 500 };

/** Ends an answer that is too long, or has too much in it to be parsed. */
class LimitTransform extends Transform {
  readonly #gauge = new JsonGauge(answerLimits);
  #left: number;

  constructor(maxBytes: number) {
    super();
    this.#left = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0 || this.#gauge.push(chunk) !== undefined) done(new Error('an answer is too long'));
    else done(null, chunk);
  }
}

/** `x-guildhall-refused` says that the gateway answers, and why; no server can send it. */
function answerProblem(policy: ToolServerPolicy, { response }: Exchange, error: unknown, name: string): void {
  if (error instanceof EgressRefused) {
    policy.event({ kind: 'refused', reason: error.reason, target: name, message: error.message });
    answerText(response, 403, error.message, { 'x-guildhall-refused': error.reason });
  } else if (error instanceof Refused) {
    answerText(response, error.status, error.message, { 'x-guildhall-refused': error.reason });
  } else {
    const message = error instanceof DialError ? error.message : `${name} could not be reached or broke off.`;
    answerText(response, 502, message, { 'x-guildhall-refused': 'unreachable' });
  }
}

function nameOf({ url }: ToolCall): string {
  const { host, port } = targetOf(url);
  return `${host}:${port}`;
}

function lowerCase(headers: Readonly<Record<string, string>>): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const masks = new WeakMap<readonly ToolServer[], Mask>();

/** Of all the servers: they may know each other's. */
function maskOf(servers: readonly ToolServer[]): Mask {
  const known = masks.get(servers);
  if (known !== undefined) return known;
  const mask = createMask(servers.flatMap(({ values }) => values));
  masks.set(servers, mask);
  return mask;
}
