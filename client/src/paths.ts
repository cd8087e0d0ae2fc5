import { plain } from './plain.ts';

/** Normalizes the base URL of the API. Throws its problem, without a password that it may contain. */
export function baseUrlOf(told: string): string {
  if (!URL.canParse(told)) throw new Error('baseUrl must be a URL such as http://127.0.0.1:7420');
  const { protocol, username, password, search, hash } = new URL(told);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error(`baseUrl must start with http: or https:, not ${plain(protocol)}`);
  if (username !== '' || password !== '') throw new Error('baseUrl must not contain a user or password; use the key');
  if (search !== '' || hash !== '') throw new Error('baseUrl must not contain a query or fragment');
  return told;
}

/** Returns the path of an operation with its parameters; `orgId` may stay open. */
export function pathOf(pathname: string, parameters: Record<string, unknown>): string {
  return pathname.replaceAll(/\{([^{}]+)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return value === undefined && name === 'orgId' ? placeholder : segmentOf(name, value);
  });
}

/** Encodes one segment of a path. Throws for a value that would change the path. */
export function segmentOf(name: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new TypeError(`The path parameter ${name} is missing.`);
  // Even encoded, they would mean the current or the parent directory, or, if empty, the list itself.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(value))
    throw new TypeError(`The path parameter ${name} must not be ${JSON.stringify(value)}.`);
  return encodeURIComponent(value);
}
