import { Type } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { AnswerTooLarge, CredentialRejected } from '../connection.ts';
import type { SourceControl } from '../port.ts';
import { nameOf, type GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';

/** Sets the one webhook of an App, which calls as itself. */
export function appWebhookFunction(client: GithubClient): NonNullable<SourceControl['setAppWebhook']> {
  return async (ref, { url, secret }) => {
    const connection = await client.open(ref);
    const body = { url, content_type: 'json', insecure_ssl: '0', secret };
    const call = { does: "change the App's webhook", method: 'PATCH', path: '/app/hook/config', body } as const;
    try {
      await client.callAsApp(connection, { ...call, answer: Type.Unknown() });
    } catch (error) {
      throw explained(error, nameOf(connection));
    }
  };
}

function explained(error: unknown, name: string): unknown {
  const isUnknown = error instanceof GithubFailure && error.status === 404;
  if (isUnknown || error instanceof CredentialRejected)
    return new ProviderError(
      `${name} does not accept the key of this App: the App or the key was deleted there. Delete the App here, and create another one.`,
      { retryable: false },
    );
  // It may have done it, and its response is too long to read.
  const isOk = error instanceof GithubFailure && error.status < 300;
  if (error instanceof AnswerTooLarge || isOk)
    return new ProviderError(`${error.message} Try again later.`, { retryable: true });
  return error;
}
