import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import type { HostParts } from '../connection.ts';
import type { SourceControl } from '../port.ts';
import { endpointsOf } from './endpoints.ts';
import { failureOf } from './failures.ts';
import { jsonBody } from './json-body.ts';

const Created = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  slug: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,99}$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  html_url: Type.String({ pattern: '^https?://', maxLength: 1_000 }),
  pem: Type.String({ pattern: '^-----BEGIN', maxLength: 20_000 }),
  webhook_secret: Type.Optional(
    Type.Union([Type.String({ minLength: 8, maxLength: 1_000 }), Type.Literal(''), Type.Null()]),
  ),
});

/** Exchanges the code that GitHub gave to whoever created an App by a manifest; it is valid once, for an hour. */
export function convertAppFunction({ fetch }: Pick<HostParts, 'fetch'>): NonNullable<SourceControl['convertApp']> {
  return async (webUrl, code) => {
    const name = new URL(webUrl).host;
    const url = `${endpointsOf(webUrl).rest}/app-manifests/${encodeURIComponent(code)}/conversions`;
    const headers = {
      accept: 'application/vnd.github+json',
      'user-agent': 'guildhall',
      'x-github-api-version': '2022-11-28',
    };
    const refused = (why: string): ProviderError =>
      new ProviderError(
        `${name} ${why} If the App exists there, its key cannot be fetched again: delete it there, in the developer settings of its owner. Then create it again.`,
        { retryable: false },
      );
    const response = await fetch(url, { method: 'POST', headers });
    const body = await jsonBody(response, name).catch((error: unknown) => {
      throw response.ok && error instanceof ProviderError ? refused('described the App at too great length.') : error;
    });
    if (response.status === 404) throw refused('does not know this code: it is valid once, for an hour.');
    if (!response.ok) throw failureOf(response, body, { name, does: 'create the App' });
    if (!Value.Check(Created, body) || new URL(body.html_url).origin !== new URL(webUrl).origin)
      throw refused('did not describe the App as GitHub does. Check the host.');
    const { id, slug, html_url: htmlUrl, pem: privateKey, webhook_secret: webhookSecret } = body;
    return { appId: String(id), slug, name: body.name, htmlUrl, privateKey, webhookSecret: webhookSecret ?? '' };
  };
}
