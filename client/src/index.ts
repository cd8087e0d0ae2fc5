import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import { serialized } from './bodies.ts';
import { readWhole, within, type Bounds, type Send } from './bounds.ts';
import { follow, type FollowOptions, type SessionEvent } from './follow.ts';
import { StreamError } from './messages.ts';
import { baseUrlOf, pathOf, segmentOf } from './paths.ts';
import { plain } from './plain.ts';
import { withRetries } from './retry.ts';
import type { paths } from './schema.gen.ts';

export { ApiError, type Issue } from './api-error.ts';
export type { FollowOptions, SessionEvent } from './follow.ts';
export type { components, operations, paths } from './schema.gen.ts';

export interface ClientOptions {
  /** The base URL of the installation, such as `http://127.0.0.1:7420`. */
  baseUrl: string;
  /** An API key: `guild_…`. Exactly one of `key` and `cookie`. */
  key?: string;
  /** Uses the cookie of a sign-in; for pages of the installation itself, as it refuses other origins. */
  cookie?: true;
  /** Id or slug of the organization; default the key's own, or the only one of the person who signed in. */
  organization?: string;
  /** Replaces the global `fetch`. */
  fetch?: Send;
  /** The timeout for the start of a response, and for the rest of it; default 300,000. Streams are not limited. */
  timeoutMs?: number;
  /** The maximum size of a response in memory, in bytes; default 64 MiB. Streams are not limited. */
  maxBytes?: number;
}

/**
 * The document's paths with an optional `orgId`, which {@link ClientOptions.organization} fills in, and query parameters
 * that may be undefined, which leaves them out.
 */
type Paths = {
  [Path in keyof paths]: { [Method in keyof paths[Path]]: WithQuery<InOrganization<paths[Path][Method]>> };
};
type WithQuery<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Operation, 'parameters'> & {
      parameters: { [Key in keyof Parameters]: Key extends 'query' ? OrUndefined<Parameters[Key]> : Parameters[Key] };
    }
  : Operation;
type OrUndefined<Query> = {
  [Key in keyof Query]: object extends Pick<Query, Key> ? Query[Key] | undefined : Query[Key];
};
type InOrganization<Operation> = Operation extends { parameters: { path: { orgId: string } } }
  ? Omit<Operation, 'parameters'> & {
      parameters: Omit<Operation['parameters'], 'path'> & OptionalOrganization<Operation['parameters']['path']>;
    }
  : Operation;
type OptionalOrganization<Path extends { orgId: string }> =
  Exclude<keyof Path, 'orgId'> extends never
    ? { path?: { orgId?: string } }
    : { path: Omit<Path, 'orgId'> & { orgId?: string } };

/** The result of a client method: `{data, response}`, or `{error, response}` if the API refused. */
export type Answer<T> =
  | { data: T; error?: never; response: Response }
  | { data?: never; error: unknown; response: Response };
type DataOf<A> = A extends { data: infer T; error?: never } ? T : never;

export interface Client extends Pick<FetchClient<Paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'> {
  /**
   * Yields the session's log as it grows, each event once and in order over lost connections. Continues after the end
   * of a turn; leave the loop, or abort the signal, to stop. Ends by itself when the session is canceled or deleted. Tries
   * again without end while the server cannot be reached: `onLost` hears of each failure, and gives up by throwing.
   */
  followSession(sessionId: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void>;
}

/**
 * Creates a client for every operation of the API, typed by its OpenAPI document. Repeats GET requests, and POST
 * requests with a generated `Idempotency-Key`, after network failures, 429 and 503.
 *
 * ```ts
 * const guildhall = createClient({ baseUrl: 'http://127.0.0.1:7420', key });
 * const sessions = '/v3/organizations/{orgId}/sessions';
 * const session = await unwrap(guildhall.POST(sessions, { body: { prompt: 'Fix the build' } }));
 * for await (const event of guildhall.followSession(session.id)) console.log(event.seq, event.kind);
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const send: Send = options.fetch ?? ((request) => fetch(request));
  const { timeoutMs = 300_000, maxBytes = 64 * 1024 * 1024 } = options;
  const bounds: Bounds = { timeoutMs, maxBytes };
  const api = createFetchClient<Paths>({
    baseUrl: baseUrlOf(options.baseUrl),
    headers: headersOf(options),
    ...(options.cookie === true ? { credentials: 'include' } : {}),
    fetch: withRetries(send, bounds),
    pathSerializer: pathOf,
    bodySerializer: serialized,
  });
  const named = options.organization === undefined ? undefined : segmentOf('organization', options.organization);
  let own: Promise<string> | undefined;
  const ownSegment = (): Promise<string> => {
    own ??= ownOrganization(api).catch((error: unknown) => {
      own = undefined;
      throw error;
    });
    return own;
  };
  // A request made from another one is not aborted once that is garbage-collected.
  const origins = new WeakMap<Request, Request>();
  api.use({
    async onRequest({ request, schemaPath, params }) {
      if (!schemaPath.includes('{orgId}') || (params.path?.['orgId'] ?? undefined) !== undefined) return undefined;
      const segment = named ?? (await within(ownSegment(), request, timeoutMs).catch(refusalOf));
      if (segment instanceof Response) return segment;
      const complete = await movedTo(request.url.replace('%7BorgId%7D', segment), request);
      origins.set(complete, request);
      return complete;
    },
    async onResponse({ request, response, options: { parseAs } }) {
      if (response.ok && parseAs === 'stream') return undefined;
      const whole = await readWhole(response, request, bounds);
      const type = whole.headers.get('content-type') ?? '';
      if (whole.ok && parseAs === 'json' && whole.body !== null && !/[/+]json\b/.test(type))
        throw new ApiError(whole, undefined);
      return whole;
    },
  });
  const { GET, POST, PUT, PATCH, DELETE } = api;
  const followSession = (sessionId: string, followOptions: FollowOptions = {}) => {
    segmentOf('sessionId', sessionId);
    return follow((afterSeq, signal) => openStream(api, sessionId, afterSeq, signal), followOptions);
  };
  return { GET, POST, PUT, PATCH, DELETE, followSession };
}

/** The headers of every request. Only a page of the installation can send `x-guildhall-csrf`. */
function headersOf({ key, cookie, organization }: ClientOptions): Record<string, string> {
  if (cookie === true && key !== undefined) throw new Error('Pass either key or cookie.');
  if (cookie === true)
    return {
      'x-guildhall-csrf': '1',
      ...(organization === undefined ? {} : { 'x-guildhall-organization': organization }),
    };
  if (!/^[\x21-\x7e]+$/.test(key?.trim() ?? '')) throw new Error('The key must be an API key: guild_…');
  return { authorization: `Bearer ${key}` };
}

/** Returns the same request to another URL. Its body becomes bytes: browsers send a stream over HTTP/2 only. */
async function movedTo(url: string, request: Request): Promise<Request> {
  const { method, headers, signal, credentials, redirect, cache, keepalive, referrerPolicy } = request;
  const body = method === 'GET' ? new ArrayBuffer() : await request.arrayBuffer();
  const rest = { method, headers, signal, credentials, redirect, cache, keepalive, referrerPolicy };
  return new Request(url, body.byteLength === 0 ? rest : { ...rest, body });
}

async function ownOrganization(api: FetchClient<Paths>): Promise<string> {
  const answer = await api.GET('/v3/self');
  if (!succeeded(answer)) throw new NoOrganization(answer);
  return segmentOf('orgId', answer.data.organization.id);
}

/** The API refused to tell the organization of the key: the answer to every request that needs it. */
class NoOrganization extends Error {
  readonly answer: Answer<unknown>;

  constructor(answer: Answer<unknown>) {
    super('The organization of the key is unknown.');
    this.answer = answer;
  }
}

/** Returns the refusal as a response, so that the caller gets it as the error of its own request. Throws any other failure. */
function refusalOf(failure: unknown): Response {
  if (!(failure instanceof NoOrganization)) throw failure;
  const { error, response } = failure.answer;
  const { status, statusText, headers } = response;
  return new Response(JSON.stringify(error), { status, statusText, headers });
}

async function openStream(
  api: FetchClient<Paths>,
  sessionId: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const call = api.GET('/v3/organizations/{orgId}/sessions/{id}/events/stream', {
    params: { path: { id: sessionId } },
    // Without a position the stream starts with the first event that is kept; 0 would be a position before it.
    headers: afterSeq === 0 ? {} : { 'last-event-id': String(afterSeq) },
    parseAs: 'stream',
    signal,
  });
  const stream = await unwrap(call);
  const type = (await call).response.headers.get('content-type') ?? 'without a media type';
  if (stream !== null && type.startsWith('text/event-stream')) return stream;
  void stream?.cancel().catch(() => undefined);
  throw new StreamError(
    `The response is ${plain(type)}, not a stream of events. Check that baseUrl is the URL of an installation.`,
  );
}

/** Returns the data of a response. Throws {@link ApiError} if the API refused. */
export async function unwrap<A extends Answer<unknown>>(call: Promise<A>): Promise<DataOf<A>> {
  const answer = await call;
  if (!succeeded(answer)) throw new ApiError(answer.response, answer.error);
  return answer.data;
}

function succeeded<A extends Answer<unknown>>(answer: A): answer is A & { data: DataOf<A> } {
  return answer.response.ok;
}

/**
 * Every item of a list, page after page. Throws when the pages come round again, which would never end.
 *
 * ```ts
 * const sessions = '/v3/organizations/{orgId}/sessions';
 * const list = pages((after) => guildhall.GET(sessions, { params: { query: { first: 200, after } } }));
 * for await (const session of list) console.log(session.title);
 * ```
 */
export async function* pages<T>(
  list: (
    after: string | undefined,
  ) => Promise<Answer<{ items: readonly T[]; end_cursor: string; has_next_page: boolean }>>,
): AsyncGenerator<T, void> {
  let after: string | undefined;
  let passed: string | undefined;
  for (let count = 1; ; count += 1) {
    const page = await unwrap(list(after));
    yield* page.items;
    if (!page.has_next_page) return;
    after = page.end_cursor;
    if (after === '' || after === passed) throw new Error('The list never ends: its pages repeat.');
    // Keeps one cursor and replaces it at growing intervals, which detects a cycle of any length.
    if (Number.isInteger(Math.log2(count))) passed = after;
  }
}
