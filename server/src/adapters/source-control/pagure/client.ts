import { Value } from 'typebox/value';
import type { Static, TSchema } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { LongJson } from '../../../lib/long-json.ts';
import { oneLine } from '../../../lib/one-line.ts';
import { CredentialRejected, type HostConnection, type HostParts } from '../connection.ts';
import type { ConnectionRef } from '../port.ts';
import { Problem } from './shapes.ts';

export interface PagureRequest {
  readonly method?: 'POST';
  /** Below `/api/0/`, without a slash in front. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

/** Pagure refused a request with 4xx. */
export class PagureRefusal extends ProviderError {
  readonly status: number;
  /** Pagure's `error_code`, for example `ENOPROJECT`; `''` for none. */
  readonly code: string;

  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message, { retryable: false });
    this.name = 'PagureRefusal';
    this.status = status;
    this.code = code;
  }
}

/** Parsing more than this would block other requests; long texts do not count. */
const limits = { values: 200_000, depth: 50 };

export interface PagureClient {
  open(connection: ConnectionRef): Promise<HostConnection>;
  /**
   * Calls the API and returns the fields of a schema. Texts of more than 256 bytes are placeholders, unless `isWhole`, which
   * accepts at most 1 MiB, or `textBytes`, to which each of them is cut. Throws {@link PagureRefusal}, {@link CredentialRejected}, ProviderError.
   */
  call<Shape extends TSchema>(
    connection: ConnectionRef,
    request: PagureRequest,
    shape: Shape,
    options?: ReadOptions,
  ): Promise<Static<Shape>>;
}

export interface ReadOptions {
  readonly isWhole?: boolean;
  /** Rounded up to 32 KiB. */
  readonly textBytes?: number;
}

export function createPagureClient({ connections, fetch }: Pick<HostParts, 'connections' | 'fetch'>): PagureClient {
  const open = (connection: ConnectionRef): Promise<HostConnection> => connections.open(connection);
  return {
    open,
    async call(connection, { method = 'GET', path, query, form }, shape, options = {}) {
      const opened = await open(connection);
      const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
      const response = await fetch(`${opened.url}/api/0/${path}${search}`, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `token ${tokenOf(opened)}`,
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
      });
      const body = Buffer.from(await response.arrayBuffer());
      if (!response.ok) throw await failureOf(opened, response, body);
      const value = await parse(body, options);
      if (Value.Check(shape, value)) return value;
      throw unexpected(opened, `${method} /api/0/${path}`);
    },
  };
}

/** Returns the API token. Pagure has no apps. */
export function tokenOf({ credential, url }: HostConnection): string {
  if (credential.kind === 'token') return credential.token;
  throw new ProviderError(`${hostOf(url)} runs Pagure, which has no apps. Connect it with an API token.`, {
    retryable: false,
  });
}

/** Returns undefined if the body is not JSON, or too large. */
async function parse(body: Buffer, { isWhole = false, textBytes }: ReadOptions): Promise<unknown> {
  try {
    if (textBytes !== undefined) return await (await LongJson.read(body, limits)).filled(textBytes);
    if (!isWhole) return (await LongJson.read(body, limits)).value;
    return body.length > 1_048_576 ? undefined : JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function unexpected({ url }: HostConnection, call: string): ProviderError {
  return new ProviderError(
    `${hostOf(url)} did not answer ${call} as Pagure does. Check that the address of the git connection is Pagure's.`,
    { retryable: false },
  );
}

async function failureOf(connection: HostConnection, response: Response, body: Buffer): Promise<ProviderError> {
  const { status, headers } = response;
  const host = hostOf(connection.url);
  if (status === 429 || (status === 503 && headers.has('retry-after')))
    return new ProviderError(`${host} limits requests${waitOf(headers)}. Try again later.`, { retryable: true });
  if (status >= 500) return new ProviderError(`${host} failed with status ${status}.`, { retryable: true });
  if (status < 400)
    return new ProviderError(`${host} redirects its API. Correct the address of the git connection.`, {
      retryable: false,
    });
  const parsed = await parse(body, { isWhole: true });
  const problem = Value.Check(Problem, parsed) ? parsed : {};
  const code = problem.error_code ?? '';
  if (status === 401 && code === 'EINVALIDTOK') return tokenFailure(connection, problem.errors);
  const said = shortText(problem.error).replace(/\.$/, '');
  const why = said === '' ? ` with status ${status}` : `: ${said}`;
  const detail = typeof problem.errors === 'string' ? ` (${shortText(problem.errors)})` : '';
  return new PagureRefusal(`${host} refused the request${why}${detail}.`, { status, code });
}

function tokenFailure(connection: HostConnection, errors: unknown): ProviderError {
  if (errors === 'Invalid token' || errors === 'Expired token') return new CredentialRejected(connection);
  const [, missing] = /^Missing ACLs: ([\w, ]{1,200})$/.exec(shortText(errors)) ?? [];
  const message =
    missing === undefined
      ? 'belongs to another project. Connect this project with a token of its own, or with one of the account'
      : `lacks the permission ${missing}. Create a token that has it, and give it to the git connection`;
  return new PagureRefusal(`The API token for ${hostOf(connection.url)} ${message}.`, {
    status: 401,
    code: 'EINVALIDTOK',
  });
}

function waitOf(headers: Headers): string {
  const seconds = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  return seconds === undefined ? '' : ` for ${seconds} s`;
}

/** Returns what a host said as one line of at most 300 characters. */
function shortText(text: unknown): string {
  return typeof text === 'string' ? oneLine(text.slice(0, 300)) : '';
}

/** Returns the host of a URL, for messages. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
