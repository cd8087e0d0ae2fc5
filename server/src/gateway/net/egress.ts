import { isIP } from 'node:net';
import type { EgressRule } from '../../config/config.ts';
import { inRanges, isCidr } from '../../lib/cidr.ts';
import { bareHost, matchesHost, type Target } from '../../lib/hosts.ts';

export type EgressPurpose = EgressRule['purpose'];

/** What a sandbox may reach beside its own git repositories. */
export type NetworkMode = 'none' | 'registries' | 'allowlist' | 'open';

export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link_local'
  | 'metadata'
  | 'multicast'
  | 'reserved';

/** IANA's special-purpose registries (RFC 6890 and its successors), and the clouds' metadata addresses before them. */
const ipv4Ranges: readonly (readonly [network: string, bits: number, kind: AddressKind])[] = [
  ['169.254.169.254', 32, 'metadata'],
  ['100.100.100.200', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['192.0.0.192', 32, 'metadata'],
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link_local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

/**
 * What kind of network an address belongs to; an IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4, ISATAP)
 * counts as the one it carries. Whatever is not global unicast is never `public`; text that is no address is `reserved`.
 */
export function classifyAddress(address: string): AddressKind {
  const plain = withoutZone(address);
  const family = isIP(plain);
  if (family === 4) return classifyIpv4(ipv4Bytes(plain));
  return family === 6 ? classifyIpv6(ipv6Bytes(plain)) : 'reserved';
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? '';
}

/** The IPv4 address in `::ffff:a.b.c.d`, however it is spelled; any other address as it is. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const bytes = ipv6Bytes(withoutZone(address));
  return startsWith(bytes, mapped) ? bytes.slice(12).join('.') : address;
}

const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const translated = [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0];
const compatible = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

function classifyIpv4(bytes: readonly number[]): AddressKind {
  const value = toNumber(bytes);
  for (const [network, bits, kind] of ipv4Ranges) {
    const size = 2 ** (32 - bits);
    const first = toNumber(ipv4Bytes(network));
    if (value >= first && value < first + size) return kind;
  }
  return 'public';
}

function classifyIpv6(bytes: readonly number[]): AddressKind {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (bytes.every((byte) => byte === 0)) return 'unspecified';
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return 'loopback';
  if (startsWith(bytes, mapped) || startsWith(bytes, nat64)) return classifyIpv4(bytes.slice(12));
  if (startsWith(bytes, compatible) || startsWith(bytes, translated)) return notPublic(classifyIpv4(bytes.slice(12)));
  if (first === 0xfd && text(bytes) === 'fd000ec2000000000000000000000254') return 'metadata';
  if (first === 0xfd && text(bytes) === 'fd2000ce000000000000000000000254') return 'metadata';
  if ((first & 0xfe) === 0xfc) return 'private';
  if (first === 0xfe)
    return (second & 0xc0) === 0x80 ? 'link_local' : (second & 0xc0) === 0xc0 ? 'private' : 'reserved';
  if (first === 0xff) return 'multicast';
  if ((first & 0xe0) !== 0x20) return 'reserved';
  if (first === 0x20 && second === 0x02) return classifyIpv4(bytes.slice(2, 6));
  if (first === 0x20 && second === 0x01 && third < 2) return 'reserved';
  if (first === 0x20 && second === 0x01 && third === 0x0d && fourth === 0xb8) return 'reserved';
  if (first === 0x3f && second === 0xff && third < 0x10) return 'reserved';
  const isatap = bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe && ((bytes[8] ?? 0) & 0xfd) === 0;
  return isatap ? classifyIpv4(bytes.slice(12)) : 'public';
}

function notPublic(kind: AddressKind): AddressKind {
  return kind === 'public' ? 'reserved' : kind;
}

function ipv4Bytes(address: string): number[] {
  return address.split('.').map(Number);
}

function ipv6Bytes(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const left = groups(head);
  if (tail === undefined) return left;
  const right = groups(tail);
  return [...left, ...Array.from<number>({ length: 16 - left.length - right.length }).fill(0), ...right];
}

function groups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) return ipv4Bytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function toNumber(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function text(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}

function startsWith(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/** Whether a connection for `purpose` may use `address`: it is public, or an opening of the operator names it. */
export function mayDial(
  rules: readonly EgressRule[],
  purpose: EgressPurpose,
  target: Target,
  address: string,
): boolean {
  const plain = plainAddress(withoutZone(address));
  return classifyAddress(plain) === 'public' || rules.some((rule) => opens(rule, purpose, target, plain));
}

function opens(rule: EgressRule, purpose: EgressPurpose, target: Target, address: string): boolean {
  if (rule.purpose !== '*' && rule.purpose !== purpose) return false;
  if (isCidr(rule.target)) return inRanges(address, [rule.target]);
  const named = parseAuthority(rule.target);
  return named !== undefined && named.host === target.host && named.port === target.port;
}

/** `host:port` as in a CONNECT request, with every spelling of an address made the usual one; undefined if it is none. */
export function parseAuthority(authority: string): Target | undefined {
  const match = /^([^\s/?#@\\]+):(\d{1,5})$/.exec(authority);
  const [, host = '', port = ''] = match ?? [];
  const url = match === null ? null : URL.parse(`http://${host}/`);
  if (url === null || url.port !== '' || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: bareHost(url), port: Number(port) };
}

/** Why the gateway refuses; the value of the header `x-guildhall-refused`. */
export type RefusalReason =
  | 'network_none'
  | 'network_registries'
  | 'host_not_allowed'
  | 'port_not_allowed'
  | 'private_address'
  | 'invalid_target';

export interface Refusal {
  readonly reason: RefusalReason;
  /** For whoever reads the answer inside the sandbox. */
  readonly message: string;
}

/** Mail is the one thing an open network is not open for: a sandbox that was taken over must not send spam. */
const mailPorts = new Set([25, 465, 587]);

/** Why a sandbox in this mode may not reach a target by name; undefined when it may. Addresses are checked when dialling. */
export function networkRefusal(
  mode: NetworkMode,
  allowedHosts: readonly string[],
  target: Target,
): Refusal | undefined {
  const refuse = (reason: RefusalReason, why: string): Refusal => ({
    reason,
    message: `${target.host}:${target.port} is not reachable: ${why}.`,
  });
  if (mode === 'none') return refuse('network_none', 'this sandbox has no network');
  if (mode === 'registries') return refuse('network_registries', 'this sandbox reaches package registries only');
  if (mode === 'open')
    return mailPorts.has(target.port) ? refuse('port_not_allowed', 'sandboxes may not send mail') : undefined;
  return allowedHosts.some((pattern) => matchesHost(pattern, target))
    ? undefined
    : refuse('host_not_allowed', "it is not among the organization's allowed hosts");
}
