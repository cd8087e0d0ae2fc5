import { plain } from './plain.ts';

/** A problem of a request. */
export interface Issue {
  /** The part of the request: `body`, `query`, `path` or `header`. */
  in: string;
  /** The keys and indices that lead to the field; `[]` for all of that part. */
  path: string[];
  /** A name of the problem for programs, such as `missing`. */
  code: string;
  /** Without the name of the field: `must be a URL`. */
  message: string;
  /** Of a field that holds files: the file, and the line in it, counted from 1. */
  file?: string;
  line?: number;
}

/** A request that the API refused or could not serve. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The error code, such as `session_not_found`; `http_<status>` for a response that is not the API's. */
  readonly code: string;
  /** Identifies the request in the server's log; `''` if it never reached the API. */
  readonly requestId: string;
  /** Seconds to wait before a retry, if the server sent them. */
  readonly retryAfter: number | undefined;
  /** The problems of the request, field by field; `[]` for an error that names no field. */
  readonly issues: readonly Issue[];
  /** Further data of the error, such as a limit. */
  readonly details: unknown;

  constructor(response: Response, body: unknown) {
    const { code, message, details, issues } = read(body, response);
    super(plain(message));
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id') ?? '';
    this.retryAfter = retryAfterOf(response);
    this.issues = issues;
    this.details = details;
  }
}

/** Returns the header `retry-after` in seconds; it may also contain a date. */
export function retryAfterOf(response: Response): number | undefined {
  const said = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(said)) return Number(said);
  const seconds = Math.ceil((Date.parse(said) - Date.now()) / 1_000);
  return Number.isNaN(seconds) || !/^[A-Z]/.test(said) ? undefined : Math.max(0, seconds);
}

/** Parses the API's two envelopes, and any response of a proxy in front of it. */
function read(body: unknown, response: Response): Pick<ApiError, 'code' | 'message' | 'details' | 'issues'> {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { error, message, details, detail } = fields;
  if (typeof error === 'string' && typeof message === 'string')
    return { code: error, message, details, issues: issuesIn(Object(details).issues, issueOf) };
  if (Array.isArray(detail)) {
    const issues = issuesIn(detail, issueOfDetail);
    const sentences = issues.map(({ in: place, path, message: text }) => `${[place, ...path].join('.')} ${text}`);
    return { code: 'invalid_request', message: sentences.join('; '), details: detail, issues };
  }
  return { code: `http_${response.status}`, message: describeStatus(response), details: body, issues: [] };
}

function issuesIn(entries: unknown, of: (entry: Record<string, unknown>) => Issue): Issue[] {
  return Array.isArray(entries) ? entries.slice(0, 100).map((entry: unknown) => of(Object(entry))) : [];
}

function issueOf({ in: place, path, code, message, file, line }: Record<string, unknown>): Issue {
  return {
    in: textOf(place),
    path: stepsOf(path),
    code: textOf(code),
    message: textOf(message),
    ...(typeof file === 'string' ? { file: plain(file) } : {}),
    ...(typeof line === 'number' ? { line } : {}),
  };
}

/** An entry of an unversioned operation's `{detail: […]}`. */
function issueOfDetail({ loc, msg, type }: Record<string, unknown>): Issue {
  const [place = '', ...path] = stepsOf(loc);
  return { in: place, path, code: textOf(type), message: textOf(msg) };
}

function stepsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, 100).map(textOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? plain(String(value)) : '';
}

function describeStatus({ status, statusText, type, headers, ok }: Response): string {
  const line = `${status} ${statusText}`.trim();
  const target = headers.get('location');
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return `${line}: the API redirects this request${target === null ? '' : ` to ${target}`}, but only GET requests follow redirects. Set baseUrl to the API's own URL.`;
  if (ok)
    return `${line}: the response is ${headers.get('content-type') ?? 'without a media type'}, not JSON. Check that baseUrl is the URL of an installation. Read other media types with parseAs.`;
  return line;
}
