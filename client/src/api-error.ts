import { plain } from './plain.ts';

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
  /** Further data of the error, such as the problems of an invalid request. */
  readonly details: unknown;

  constructor(response: Response, body: unknown) {
    const { code, message, details } = read(body, response);
    super(plain(message));
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id') ?? '';
    this.retryAfter = retryAfterOf(response);
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
function read(body: unknown, response: Response): { code: string; message: string; details: unknown } {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { error, message, details } = fields;
  if (typeof error === 'string' && typeof message === 'string') return { code: error, message, details };
  if (Array.isArray(fields['detail'])) {
    const problems = fields['detail'].slice(0, 100).map((entry: unknown) => describe(entry));
    return { code: 'invalid_request', message: problems.join('; '), details: fields['detail'] };
  }
  return { code: `http_${response.status}`, message: describeStatus(response), details: body };
}

function describe(entry: unknown): string {
  const { loc, msg }: { loc?: unknown; msg?: unknown } = Object(entry);
  const path = Array.isArray(loc) ? loc.filter((part) => typeof part === 'string' || typeof part === 'number') : [];
  return `${path.join('.')} ${typeof msg === 'string' ? msg : ''}`.trim();
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
