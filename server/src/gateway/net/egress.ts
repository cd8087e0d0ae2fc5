import type { IPv6 } from 'ipaddr.js';
import type { EgressRule } from '../../config/config.ts';
import {
  canonicalAddress,
  inRanges,
  isCidr,
  isIn,
  isIpv6,
  parseAddress,
  parseRange,
  unmapped,
  type Address,
  type Range,
} from '../../lib/cidr.ts';
import { authorityOf, matchesHost, parseAuthority, type Target } from '../../lib/hosts.ts';

export type EgressPurpose = EgressRule['purpose'];

/** The network access of a sandbox besides its own git repositories. */
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

type Kinds = readonly (readonly [range: Range, kind: AddressKind])[];

function kinds(table: readonly (readonly [range: string, kind: AddressKind])[]): Kinds {
  return table.map(([range, kind]) => [parseRange(range), kind]);
}

/** IANA's special-purpose registries (RFC 6890 and its successors), and the clouds' metadata addresses before them. */
const ipv4Kinds = kinds([
  ['169.254.169.254', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link_local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]);
const ipv6Kinds = kinds([
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link_local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3fff::/20', 'reserved'],
]);
const globalUnicast = parseRange('2000::/3');

/** IPv6 ranges that embed an IPv4 address, with its first byte. An unrouted range is never public. */
const carriers = [
  { range: parseRange('64:ff9b::/96'), from: 12, isRouted: true },
  { range: parseRange('2002::/16'), from: 2, isRouted: true },
  { range: parseRange('::/96'), from: 12, isRouted: false },
  { range: parseRange('::ffff:0:0:0/96'), from: 12, isRouted: false },
];

/**
 * Classifies an address by its network. An IPv6 address that embeds an IPv4 one (mapped, NAT64, 6to4, ISATAP) counts as the
 * embedded one. Only global unicast is `public`; invalid text is `reserved`.
 */
export function classifyAddress(text: string): AddressKind {
  const address = parseAddress(text);
  if (address === undefined) return 'reserved';
  const plain = unmapped(address);
  return isIpv6(plain) ? classifyIpv6(plain) : (kindIn(ipv4Kinds, plain) ?? 'public');
}

/** The IPv4 address in `::ffff:a.b.c.d`, however it is spelled; any other address as it is. */
export function plainAddress(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  const plain = unmapped(address);
  return plain === address ? text : plain.toString();
}

function kindIn(table: Kinds, address: Address): AddressKind | undefined {
  return table.find(([range]) => isIn(address, range))?.[1];
}

function classifyIpv6(address: IPv6): AddressKind {
  const known = kindIn(ipv6Kinds, address);
  if (known !== undefined) return known;
  const bytes = address.toByteArray();
  const carrier = carriers.find(({ range }) => isIn(address, range));
  if (carrier !== undefined) {
    const kind = classifyAddress(bytes.slice(carrier.from, carrier.from + 4).join('.'));
    return kind === 'public' && !carrier.isRouted ? 'reserved' : kind;
  }
  if (!isIn(address, globalUnicast)) return 'reserved';
  const isIsatap = bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe && ((bytes[8] ?? 0) & 0xfd) === 0;
  return isIsatap ? classifyAddress(bytes.slice(12).join('.')) : 'public';
}

/** Returns true if a connection for `purpose` may use `address`: it is public, or an egress rule of the operator allows it. */
export function mayDial(
  rules: readonly EgressRule[],
  purpose: EgressPurpose,
  target: Target,
  address: string,
): boolean {
  const plain = canonicalAddress(address);
  return classifyAddress(plain) === 'public' || rules.some((rule) => opens(rule, purpose, target, plain));
}

function opens(rule: EgressRule, purpose: EgressPurpose, target: Target, address: string): boolean {
  if (rule.purpose !== '*' && rule.purpose !== purpose) return false;
  if (isCidr(rule.target)) return inRanges(address, [rule.target]);
  const named = parseAuthority(rule.target);
  return named !== undefined && named.host === target.host && named.port === target.port;
}

/** The reason for a refusal; the value of the header `x-guildhall-refused`. */
export type RefusalReason =
  | 'network_none'
  | 'network_registries'
  | 'host_not_allowed'
  | 'port_not_allowed'
  | 'private_address'
  | 'invalid_target';

export interface Refusal {
  readonly reason: RefusalReason;
  /** For the reader of the response inside the sandbox. */
  readonly message: string;
}

/** Blocked even in an open network, so that a compromised sandbox cannot send spam. */
const mailPorts = new Set([25, 465, 587]);

/**
 * Returns why a sandbox in this mode may not reach a target by name; undefined when it may. Addresses are checked when
 * dialling.
 */
export function networkRefusal(
  mode: NetworkMode,
  allowedHosts: readonly string[],
  target: Target,
): Refusal | undefined {
  const refuse = (reason: RefusalReason, why: string): Refusal => ({
    reason,
    message: `${authorityOf(target)} is not reachable: ${why}.`,
  });
  if (mode === 'none') return refuse('network_none', 'this sandbox has no network');
  if (mode === 'registries') return refuse('network_registries', 'this sandbox can reach package registries only');
  if (mode === 'open')
    return mailPorts.has(target.port) ? refuse('port_not_allowed', 'sandboxes may not send mail') : undefined;
  return allowedHosts.some((pattern) => matchesHost(pattern, target))
    ? undefined
    : refuse('host_not_allowed', "it is not one of the organization's allowed hosts");
}
