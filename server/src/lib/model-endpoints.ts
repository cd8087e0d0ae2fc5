import type { ModelKind } from './models.ts';
import { trimEndOf } from './trim.ts';

interface Vendor {
  /** Where the vendor itself serves its models. */
  readonly url: string;
  /** Appended to a base URL that names no version. */
  readonly version: string;
  /** Able to write code and priced in the middle, as of the AI SDK and the price list that are installed. */
  readonly defaultModel: string;
}

const vendors: Partial<Record<ModelKind, Vendor>> = {
  anthropic: { url: 'https://api.anthropic.com/v1', version: '/v1', defaultModel: 'claude-sonnet-5' },
  openai: { url: 'https://api.openai.com/v1', version: '/v1', defaultModel: 'gpt-6-sol' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    version: '/v1beta',
    defaultModel: 'gemini-3.8-flash',
  },
};

/** What a session of a kind's provider uses where nothing says which; undefined when only the server's owner knows. */
export function defaultModelOf(kind: ModelKind): string | undefined {
  return vendors[kind]?.defaultModel;
}

/**
 * Where a provider with this base URL is asked, with the version and without a trailing slash; `''` is the vendor's own.
 * A server that speaks chat completions is asked right below its base URL.
 */
export function endpointOf(kind: ModelKind, baseUrl: string): string {
  const vendor = vendors[kind];
  if (baseUrl === '') return vendor?.url ?? '';
  const { origin, pathname } = new URL(baseUrl);
  const url = trimEndOf(`${origin}${pathname}`, '/');
  return vendor === undefined || /\/v\d\w*$/.test(url) ? url : `${url}${vendor.version}`;
}

/** Whether these are the vendor's own models, whose prices are published. */
export function isVendors(kind: ModelKind, url: string): boolean {
  return vendors[kind]?.url === url;
}

/** What a base URL is not, e.g. `must be an http or https URL …`; `''` when it can be one. Unset is one too. */
export function problemOfUrl(baseUrl: string): string {
  if (baseUrl === '') return '';
  const url = URL.parse(baseUrl);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && ['http:', 'https:'].includes(url.protocol)) return '';
  return 'must be an http or https URL without user, password, query and fragment';
}

/** A key goes into a header as it is. */
export function isModelKey(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}
