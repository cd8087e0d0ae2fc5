import type { ModelKind } from './models.ts';
import { trimEndOf } from './trim.ts';

interface Vendor {
  /** The vendor's own endpoint. */
  readonly url: string;
  /** Appended to a base URL that names no version. */
  readonly version: string;
  /** A model that can write code at a medium price, as of the installed AI SDK and price list. */
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

/** Returns the default model for a kind of provider; undefined where only the server's owner knows its models. */
export function defaultModelOf(kind: ModelKind): string | undefined {
  return vendors[kind]?.defaultModel;
}

/**
 * Returns the endpoint for a base URL, with the version and without a trailing slash; `''` is the vendor's own. For servers
 * that speak chat completions, the base URL is the endpoint.
 */
export function endpointOf(kind: ModelKind, baseUrl: string): string {
  const vendor = vendors[kind];
  if (baseUrl === '') return vendor?.url ?? '';
  const { origin, pathname } = new URL(baseUrl);
  const url = trimEndOf(`${origin}${pathname}`, '/');
  return vendor === undefined || /\/v\d\w*$/.test(url) ? url : `${url}${vendor.version}`;
}

/** Returns true for the vendor's own models, whose prices are published. */
export function isVendors(kind: ModelKind, url: string): boolean {
  return vendors[kind]?.url === url;
}

/** Returns the problem of a base URL, e.g. `must be an http or https URL …`; `''` when it is valid or unset. */
export function problemOfUrl(baseUrl: string): string {
  if (baseUrl === '') return '';
  const url = URL.parse(baseUrl);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && ['http:', 'https:'].includes(url.protocol)) return '';
  return 'must be an http or https URL without user, password, query and fragment';
}

/** Returns true if a key is valid in a header. */
export function isModelKey(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}
