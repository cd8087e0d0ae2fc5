import { isIP } from 'node:net';

/** Where a connection is to go. `host` is lower case, without brackets and without a closing dot. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Where a URL leads. */
export function targetOf(url: URL): Target {
  return { host: bareHost(url), port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port) };
}

/** The host of a URL as a {@link Target} has it. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** A pattern is a host, `*.` and a suffix, or either with `:port`; without a port it stands for 80 and 443. */
export function matchesHost(pattern: string, target: Target): boolean {
  const [, name = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(pattern.trim().toLowerCase()) ?? [];
  if (port === undefined ? target.port !== 80 && target.port !== 443 : Number(port) !== target.port) return false;
  if (!name.startsWith('*.')) return name.replace(/\.$/, '') === target.host;
  return isIP(target.host) === 0 && name.length > 2 && target.host.endsWith(name.slice(1));
}
