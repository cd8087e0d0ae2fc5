import { AppError } from '../lib/errors.ts';
import type { GitConfig } from './native.ts';

/** URL of a repository over HTTP, with headers. */
export interface GitRemote {
  /** `http:` or `https:`. Credentials in it are removed and sent as a header. */
  url: string;
  /** Headers for this origin only, e.g. `{authorization: 'Basic …'}`. */
  headers?: Readonly<Record<string, string>>;
  /** Checked addresses; the host name is not resolved again. */
  addresses?: readonly string[];
}

export interface PreparedRemote {
  /** Without credentials. */
  url: string;
  config: GitConfig;
  /** Strings to redact in messages. */
  secrets: string[];
}

/**
 * Creates git's URL and configuration for a remote: only http and https, no redirects (they would leave the checked address, as
 * would dumb HTTP's alternates), credentials in the environment. Throws AppError `invalid_request` for an invalid remote.
 */
export function prepareRemote(remote: GitRemote): PreparedRemote {
  const url = URL.parse(remote.url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new AppError('invalid_request', 'A git URL must begin with http:// or https://.');
  }
  const headers = new Map(Object.entries(remote.headers ?? {}));
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
    url.username = '';
    url.password = '';
  }
  url.hash = '';
  const config: [string, string][] = [
    ['protocol.allow', 'never'],
    ['protocol.http.allow', 'always'],
    ['protocol.https.allow', 'always'],
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '120'],
  ];
  for (const [name, value] of headers) config.push([`http.${url.origin}/.extraHeader`, headerLine(name, value)]);
  const [first] = remote.addresses ?? [];
  // curl looks up no IPv6 address, and cannot read an entry for one.
  if (first !== undefined && !url.hostname.startsWith('['))
    config.push(['http.curloptResolve', resolveEntry(url, remote.addresses ?? [])]);
  return {
    url: url.href,
    config,
    secrets: [...headers.values()].flatMap((value) => [value, value.replace(/^\w+ /, '')]),
  };
}

function headerLine(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- a line break would start another header
  if (!/^[A-Za-z0-9-]+$/.test(name) || /[\u0000-\u001f\u007f]/.test(value)) {
    throw new AppError('invalid_request', `The header ${JSON.stringify(name)} cannot be sent.`);
  }
  return `${name}: ${value}`;
}

/** Formats curl's `HOST:PORT:ADDRESS[,ADDRESS]…` (CURLOPT_RESOLVE). */
function resolveEntry(url: URL, addresses: readonly string[]): string {
  for (const address of addresses) {
    if (!/^[0-9a-fA-F.:]+$/.test(address))
      throw new AppError('invalid_request', `${JSON.stringify(address)} is not an IP address.`);
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  return `${url.hostname}:${port}:${list}`;
}
