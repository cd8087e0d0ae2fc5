/** A request that the API refused, or that it could not serve. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** What to decide by, such as `session_not_found`; `http_<status>` where the answer is not the API's own. */
  readonly code: string;
  /** Finds the request in the server's log; `''` when it never reached the API. */
  readonly requestId: string;
  /** Seconds to wait before asking again, where the server said so. */
  readonly retryAfter: number | undefined;
  /** What else the answer holds, such as the problems of a request that is not valid. */
  readonly details: unknown;

  constructor(response: Response, body: unknown) {
    const { code, message, details } = read(body, response);
    super(message);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id') ?? '';
    this.retryAfter = retryAfterOf(response);
    this.details = details;
  }
}

/** What the header `retry-after` says, in seconds. */
export function retryAfterOf(response: Response): number | undefined {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** The API's two envelopes, and whatever a proxy in front of it answers. */
function read(body: unknown, { status, statusText }: Response): { code: string; message: string; details: unknown } {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const { error, message, details } = fields;
  if (typeof error === 'string' && typeof message === 'string') return { code: error, message, details };
  if (Array.isArray(fields['detail'])) {
    const problems = fields['detail'].map((entry: { loc?: unknown; msg?: unknown }) => describe(entry));
    return { code: 'invalid_request', message: problems.join('; '), details: fields['detail'] };
  }
  return { code: `http_${status}`, message: `${status} ${statusText}`.trim(), details: body };
}

function describe({ loc, msg }: { loc?: unknown; msg?: unknown }): string {
  return `${Array.isArray(loc) ? loc.join('.') : ''} ${String(msg)}`.trim();
}
