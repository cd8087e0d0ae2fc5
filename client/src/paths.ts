import { plain } from './plain.ts';

/** Normalizes the base URL of the API. Throws its problem, without a password that it may contain. */
export function baseUrlOf(told: string): string {
  if (!URL.canParse(told)) throw new Error('baseUrl is no URL: it is an address such as http://127.0.0.1:7420');
  const { protocol, username, password, search, hash } = new URL(told);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error(`baseUrl is ${plain(protocol)}, not http: or https:`);
  if (username !== '' || password !== '')
    throw new Error('baseUrl holds a user or a password: the key alone identifies');
  if (search !== '' || hash !== '') throw new Error('baseUrl holds a query or a fragment: it ends with a path');
  return told;
}

/** The path of an operation with its parameters in place; `orgId` may stay open. */
export function pathOf(pathname: string, parameters: Record<string, unknown>): string {
  return pathname.replaceAll(/\{([^{}]+)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return value === undefined && name === 'orgId' ? placeholder : segmentOf(name, value);
  });
}

/** One segment of a path. Throws for what would make it another path. */
export function segmentOf(name: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new TypeError(`The path parameter ${name} is missing.`);
  // Encoded, they would still be taken for "here" and "above", and nothing for the list itself.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(value))
    throw new TypeError(`The path parameter ${name} is ${JSON.stringify(value)}, which names nothing.`);
  return encodeURIComponent(value);
}
