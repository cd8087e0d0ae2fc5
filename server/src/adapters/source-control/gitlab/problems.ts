import { ProviderError } from '../../../lib/errors.ts';
import { oneLine } from '../../../lib/one-line.ts';
import { CredentialRejected, type HostConnection } from '../connection.ts';
import type { GitlabAnswer, GitlabRequest } from './exchange.ts';

export function hostOf({ url }: HostConnection): string {
  return new URL(url).host;
}

/** Throws if GitLab neither accepted nor refused the request, or if the token may not send it. */
export function requireUsable(answer: GitlabAnswer, headers: Headers, request: GitlabRequest, now: Date): void {
  const { status, connection } = answer;
  const host = hostOf(connection);
  if (status === 429)
    throw new ProviderError(`${host} limits the number of requests. Try again in ${waitSeconds(headers, now)} s.`, {
      retryable: true,
    });
  if (status >= 500)
    throw new ProviderError(`${host} answered with status ${status}. Try again later.`, { retryable: true });
  const { error } = fieldsOf(answer.body);
  if (status === 401 && (request.isRoleChecked !== true || error === 'invalid_token'))
    throw new CredentialRejected(connection);
  if (status === 403 && error === 'insufficient_scope')
    throw new ProviderError(`The token for ${host} lacks the scope api. Give the git connection one that has it.`, {
      retryable: false,
    });
  if (status >= 300 && status < 400)
    throw new ProviderError(`${host} redirects to another address. Correct the URL of the git connection.`, {
      retryable: false,
    });
}

/** Describes a refusal that the caller did not expect. */
export function problemOf({ status, body, connection }: GitlabAnswer): ProviderError {
  const host = hostOf(connection);
  const said = messageIn(body);
  if (status === 401 || status === 403)
    return new ProviderError(
      `${host} refused this: ${said || 'forbidden'}. Give the token's account the role Developer or higher in the project.`,
      { retryable: false },
    );
  if (status === 404 && !/project/i.test(said))
    return new ProviderError(`${host} has not found this: ${said || 'no reason given'}.`, { retryable: false });
  if (status === 404)
    return new ProviderError(
      `${host} has no such project, or the token cannot reach it. Check that it exists and that the account is a member.`,
      { retryable: false },
    );
  return new ProviderError(`${host} refused this with status ${status}: ${said || 'no reason given'}.`, {
    retryable: [408, 409, 423, 425].includes(status),
  });
}

/** The start of the message in a refusal; GitLab sends a text, a list of texts, or lists by field. */
export function messageIn(body: unknown): string {
  const { message, error, error_description: description } = fieldsOf(body);
  const said = message ?? description ?? error;
  const text = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said);
  return oneLine(text.slice(0, 500)).slice(0, 300).replace(/\.$/, '');
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** Returns the seconds until GitLab accepts requests again, at least 1 and at most an hour. */
function waitSeconds(headers: Headers, now: Date): number {
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  const reset = Number(headers.get('ratelimit-reset') ?? Number.NaN) - now.getTime() / 1_000;
  const seconds = [after, reset, 60].find((value) => Number.isFinite(value)) ?? 60;
  return Math.min(Math.max(Math.ceil(seconds), 1), 3_600);
}
