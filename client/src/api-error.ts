import { plain } from './plain.ts';

/** A request that the API refused, or that it could not serve. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The error code, such as `session_not_found`; `http_<status>` for a response that is not the API's. */
  readonly code: string;
  /** Finds the request in the server's log; `''` when it never reached the API. */
  readonly requestId: string;
  /** Seconds to wait before asking again, where the server said so. */
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

/** The API's two envelopes, and whatever a proxy in front of it answers. */
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
    return `${line}: the request is redirected${target === null ? '' : ` to ${target}`}, and only GET follows. Set baseUrl to where the API is.`;
  if (ok)
    return `${line}: the answer is ${headers.get('content-type') ?? 'of no media type'}, not JSON. Is this the baseUrl of an installation? What is no JSON by design is read by parseAs.`;
  return line;
}
