import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import { oneLine } from '../../../lib/one-line.ts';

/** A response of GitHub other than the expected ones. */
export class GithubFailure extends ProviderError {
  readonly status: number;
  /** The reasons that GitHub gave, each on one line. */
  readonly reasons: readonly string[];

  constructor(message: string, options: { retryable: boolean; status: number; reasons?: readonly string[] }) {
    super(message, options);
    this.name = 'GithubFailure';
    this.status = options.status;
    this.reasons = options.reasons ?? [];
  }
}

/** A response that is larger than what this process parses. */
export class ResponseTooLarge extends GithubFailure {
  constructor(message: string, status: number) {
    super(message, { retryable: false, status });
    this.name = 'ResponseTooLarge';
  }
}

const Said = Type.Object({
  message: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.Unknown())),
});
const Detail = Type.Object({
  message: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
});

/** Returns the reasons in an error's body: its message, then `message` or `field code` of each detail. */
export function reasonsOf(body: unknown): string[] {
  if (!Value.Check(Said, body)) return [];
  const details = (body.errors ?? []).slice(0, 10).map((detail) => {
    if (typeof detail === 'string') return detail;
    if (!Value.Check(Detail, detail)) return '';
    return detail.message ?? [detail.field, detail.code].filter((part) => part !== undefined).join(' ');
  });
  return [body.message ?? '', ...details].map((reason) => oneLine(reason).slice(0, 300)).filter(Boolean);
}

/** Converts a response to an error that says what to do. `name` is the host's, `does` begins with a verb. */
export function failureOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  { name, does }: { name: string; does: string },
): GithubFailure {
  const reasons = reasonsOf(body);
  const said = reasons.length === 0 ? `responded with status ${status}` : `said: ${reasons.join('; ')}`;
  const failure = (text: string, retryable = false): GithubFailure =>
    new GithubFailure(text, { retryable, status, reasons });
  const remedy = status === 403 ? remedyOf(headers, reasons) : undefined;
  if (remedy !== undefined) return failure(`${name} refused to ${does}. ${remedy}`);
  if (status === 404)
    return failure(
      `${name} could not ${does}: it does not exist, or the connection has no access to it. Give the connection access, or choose another one.`,
    );
  if (status >= 500 || status === 408)
    return failure(`${name} could not ${does} now: it responded with status ${status}.`, true);
  if (status >= 300 && status < 400)
    return failure(`${name} redirects to another address. Correct the connection's host.`);
  return failure(`${name} refused to ${does}; it ${said}.`);
}

/** Returns what to do about a 403; undefined if only its message tells. */
function remedyOf(headers: Headers, reasons: readonly string[]): string | undefined {
  const sso = headers.get('x-github-sso');
  if (sso?.startsWith('required') === true)
    return 'The organization requires single sign-on: authorize the token for it in your settings there.';
  if (reasons[0]?.startsWith('Resource not accessible by') !== true) return undefined;
  const accepted = oneLine(headers.get('x-accepted-github-permissions') ?? '').slice(0, 200);
  const lacks = /^[\w=,; ]+$/.test(accepted) ? ` the permission ${accepted.replaceAll('=', ': ')}` : ' a permission';
  return `The connection lacks${lacks}. Grant it there, then verify the connection.`;
}
