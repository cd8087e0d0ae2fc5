import { isIP } from 'node:net';

/** The destination of a connection. `host` is lower case, without brackets and without a trailing dot. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Returns the host and port of a URL. */
export function targetOf(url: URL): Target {
  return { host: bareHost(url), port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port) };
}

/** Returns the host of a URL, normalized as in {@link Target}. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Returns `host:port`, with an IPv6 address in brackets. */
export function authorityOf({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Parses `host:port`, as in a CONNECT request, and normalizes addresses; undefined if invalid. */
export function parseAuthority(authority: string): Target | undefined {
  const match = /^([^\s/?#@\\]+):(\d{1,5})$/.exec(authority);
  const [, host = '', port = ''] = match ?? [];
  const url = match === null ? null : URL.parse(`http://${host}/`);
  if (url === null || url.port !== '' || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: bareHost(url), port: Number(port) };
}

/** Matches a host, `*.<suffix>`, or either with `:port`; without a port it matches 80 and 443. */
export function matchesHost(pattern: string, target: Target): boolean {
  const [, name = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(pattern.trim().toLowerCase()) ?? [];
  if (port === undefined ? target.port !== 80 && target.port !== 443 : Number(port) !== target.port) return false;
  if (!name.startsWith('*.')) return name.replace(/\.$/, '') === target.host;
  return isIP(target.host) === 0 && name.length > 2 && target.host.endsWith(name.slice(1));
}
