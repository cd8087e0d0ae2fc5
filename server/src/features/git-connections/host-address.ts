import { fieldError } from '../../lib/field-error.ts';
import { trimEndOf } from '../../lib/trim.ts';
import type { Provider } from '../../lib/providers.ts';

/** The public hosts of providers that have one. */
const publicHosts: Partial<Record<Provider, string>> = { github: 'github.com', gitlab: 'gitlab.com' };

export interface HostAddress {
  /** Host name, with a port unless it is the default one. */
  readonly host: string;
  /** The web address, without a trailing slash. */
  readonly url: string;
}

/** Returns the address of a host, given as a host name or URL; by default the provider's public one. Throws 400. */
export function hostAddress(provider: Provider, given: string | undefined): HostAddress {
  const text = given ?? publicHosts[provider];
  if (text === undefined) throw fieldError('/host', `is required: ${provider} has no default host.`);
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
  // URLs may have host names that no git host has, such as with quotation marks.
  const isName = /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(url?.hostname ?? '');
  if (!isPlain || !isName || !['https:', 'http:'].includes(url.protocol))
    throw fieldError(
      '/host',
      'must be a host name or an https URL, such as git.example.com. An IPv6 address must be in brackets.',
    );
  return { host: url.host, url: `${url.origin}${trimEndOf(url.pathname, '/')}` };
}
