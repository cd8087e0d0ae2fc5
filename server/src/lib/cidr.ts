import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

export type Address = IPv4 | IPv6;

/**
 * Parses an address without its zone (`fe80::1%eth0`), which is meaningful on one host only; undefined for any other
 * text. Rejects spellings that only some programs accept for IPv4 (`127.1`, `0x7f.0.0.1`, `010.0.0.1`).
 */
export function parseAddress(text: string): Address | undefined {
  const [address = ''] = text.split('%', 1);
  return isIP(address) === 0 ? undefined : parsed(address);
}

/**
 * Parses an address. ipaddr.js reads `::192.0.2.7` as the mapped `::ffff:192.0.2.7`, but the host of a URL no longer
 * contains dots.
 */
function parsed(address: string): Address {
  return ipaddr.parse(isIP(address) === 4 ? address : new URL(`http://[${address}]`).hostname.slice(1, -1));
}

/** Converts an IPv4-mapped IPv6 address to IPv4; returns any other unchanged. */
export function unmapped(address: Address): Address {
  return isIpv6(address) && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

export function isIpv6(address: Address): address is IPv6 {
  return address.kind() === 'ipv6';
}

/** Returns true if an address is in a range; false if one is IPv4 and the other IPv6. */
export function isIn(address: Address, { network, prefix }: Range): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

export interface Range {
  readonly network: Address;
  /** Length in bits. */
  readonly prefix: number;
}

/** Parses a text for which {@link isCidr} holds; a range of IPv4-mapped IPv6 addresses becomes the IPv4 one. */
export function parseRange(text: string): Range {
  const [address = '', length] = text.split('/');
  const network = parsed(address);
  const prefix = length === undefined ? (isIpv6(network) ? 128 : 32) : Number(length);
  const plain = prefix < 96 ? network : unmapped(network);
  return plain === network ? { network, prefix } : { network: plain, prefix: prefix - 96 };
}

/** Returns true for an address or a CIDR range, IPv4 or IPv6. */
export function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone means something on one host only.
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/**
 * Returns the canonical form of a range for which {@link isCidr} holds: with its prefix, host bits cleared, IPv6 as in RFC
 * 5952, and a range of IPv4-mapped IPv6 addresses as the IPv4 one. `10.1.2.3/8` is `10.0.0.0/8`.
 */
export function canonicalCidr(text: string): string {
  const { network, prefix } = parseRange(text);
  const bytes = network
    .toByteArray()
    .map((byte, at) => byte & (0xff << Math.min(8, Math.max(0, 8 * (at + 1) - prefix))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`;
}

/** Returns the canonical form of an address: an IPv4-mapped IPv6 one as IPv4, without a zone; `''` when invalid. */
export function canonicalAddress(text: string): string {
  const address = parseAddress(text);
  return address === undefined ? '' : unmapped(address).toString();
}

/** Returns a function that checks if an address is in any of the ranges; an IPv4-mapped IPv6 address or range counts as IPv4. */
export function rangesOf(ranges: readonly string[]): (address: string) => boolean {
  const known = ranges.map(parseRange);
  return (text) => {
    const address = parseAddress(text);
    if (address === undefined) return false;
    const plain = unmapped(address);
    // A range of IPv6 addresses, even `::/0`, does not contain IPv4 addresses.
    return known.some((range) => isIn(plain, range));
  };
}

/** Like {@link rangesOf}, for a single check. */
export function inRanges(address: string, ranges: readonly string[]): boolean {
  return rangesOf(ranges)(address);
}

/** Returns true if one of `outer` contains the whole range. */
export function isWithin(range: string, outer: readonly string[]): boolean {
  const inner = parseRange(range);
  return outer.map(parseRange).some((one) => one.prefix <= inner.prefix && isIn(inner.network, one));
}
