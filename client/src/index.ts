import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import { follow, type FollowOptions, type SessionEvent } from './follow.ts';
import { withRetries, type Send } from './retry.ts';
import type { paths } from './schema.gen.ts';

export { ApiError } from './api-error.ts';
export type { FollowOptions, SessionEvent } from './follow.ts';
export type { components, operations, paths } from './schema.gen.ts';

export interface ClientOptions {
  /** Of the installation, such as `http://127.0.0.1:7420`. */
  baseUrl: string;
  /** An API key: `guild_…`. */
  key: string;
  /** Id or slug for paths that name an organization; the key's own one unless told. */
  organization?: string;
  /** Instead of the global `fetch`. */
  fetch?: Send;
}

/** As the document declares them, but `orgId` may be left out: {@link ClientOptions.organization} fills it in. */
type Paths = { [Path in keyof paths]: { [Method in keyof paths[Path]]: InOrganization<paths[Path][Method]> } };
type InOrganization<Operation> = Operation extends { parameters: { path: { orgId: string } } }
  ? Omit<Operation, 'parameters'> & {
      parameters: Omit<Operation['parameters'], 'path'> & OptionalOrganization<Operation['parameters']['path']>;
    }
  : Operation;
type OptionalOrganization<Path extends { orgId: string }> =
  Exclude<keyof Path, 'orgId'> extends never
    ? { path?: { orgId?: string } }
    : { path: Omit<Path, 'orgId'> & { orgId?: string } };

/** What a method of the client answers: `{data, response}`, or `{error, response}` when the API refused. */
export type Answer<T> =
  | { data: T; error?: never; response: Response }
  | { data?: never; error: unknown; response: Response };
type DataOf<A> = A extends { data: infer T; error?: never } ? T : never;

export interface Client extends Pick<FetchClient<Paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'> {
  /**
   * The session's log as it grows, each event once and in order over lost connections. Goes on after a turn's end; leave
   * the loop, or abort the signal, to stop. Ends by itself when the session is canceled or deleted.
   */
  followSession(sessionId: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void>;
}

/**
 * A client for the API's every operation, typed by its OpenAPI document. Reads, and POSTs under an `Idempotency-Key` of
 * their own, are repeated after network failures, 429 and 503.
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
  const api = createFetchClient<Paths>({
    baseUrl: options.baseUrl,
    headers: { authorization: `Bearer ${options.key}` },
    fetch: withRetries(send),
  });
  let own: Promise<string> | undefined;
  api.use({
    async onRequest({ request }) {
      const placeholder = '%7BorgId%7D';
      if (!request.url.includes(placeholder)) return undefined;
      own ??= options.organization === undefined ? ownOrganization(api) : Promise.resolve(options.organization);
      return new Request(request.url.replace(placeholder, encodeURIComponent(await own)), request);
    },
  });
  const { GET, POST, PUT, PATCH, DELETE } = api;
  const followSession = (sessionId: string, followOptions: FollowOptions = {}) =>
    follow((afterSeq, signal) => openStream(api, sessionId, afterSeq, signal), followOptions);
  return { GET, POST, PUT, PATCH, DELETE, followSession };
}

async function ownOrganization(api: FetchClient<Paths>): Promise<string> {
  return (await unwrap(api.GET('/v3/self'))).organization.id;
}

async function openStream(
  api: FetchClient<Paths>,
  sessionId: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const stream = await unwrap(
    api.GET('/v3/organizations/{orgId}/sessions/{id}/events/stream', {
      params: { path: { id: sessionId } },
      headers: { 'last-event-id': String(afterSeq) },
      parseAs: 'stream',
      signal,
    }),
  );
  if (stream === null) throw new Error('The event stream has no body.');
  return stream;
}

/** The data of an answer. Throws {@link ApiError} when the API refused. */
export async function unwrap<A extends Answer<unknown>>(call: Promise<A>): Promise<DataOf<A>> {
  const answer = await call;
  if (!succeeded(answer)) throw new ApiError(answer.response, answer.error);
  return answer.data;
}

function succeeded<A extends Answer<unknown>>(answer: A): answer is A & { data: DataOf<A> } {
  return answer.response.ok;
}

/**
 * Every item of a list, page after page.
 *
 * ```ts
 * for await (const session of pages((after) => guildhall.GET(sessions, { params: { query: { first: 200, after } } })))
 * ```
 */
export async function* pages<T>(
  list: (
    after: string | undefined,
  ) => Promise<Answer<{ items: readonly T[]; end_cursor: string; has_next_page: boolean }>>,
): AsyncGenerator<T, void> {
  let after: string | undefined;
  let isMore = true;
  while (isMore) {
    const page = await unwrap(list(after));
    yield* page.items;
    after = page.end_cursor;
    isMore = page.has_next_page;
  }
}
