import { BlockList, isIP } from 'node:net';

/** Whether a text is an address or a CIDR range, IPv4 or IPv6. */
export function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone (`fe80::1%eth0`) means something on one host only.
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/**
 * The one way to write a range for which {@link isCidr} holds: with its prefix, no bit set behind it, IPv6 as in
 * RFC 5952, and a range of IPv4-mapped IPv6 addresses as the IPv4 one. `10.1.2.3/8` is `10.0.0.0/8`.
 */
export function canonicalCidr(text: string): string {
  const { address, family, prefix } = parse(text);
  if (family === 4) {
    const bits = address.split('.').reduce((all, byte) => (all << 8n) | BigInt(byte), 0n);
    const kept = masked(bits, 32, prefix);
    const bytes = [24n, 16n, 8n, 0n].map((shift) => String((kept >> shift) & 0xffn));
    return `${bytes.join('.')}/${prefix}`;
  }
  const kept = masked(
    groupsOf(address).reduce((all, group) => (all << 16n) | BigInt(group), 0n),
    128,
    prefix,
  );
  const hex = kept.toString(16).padStart(32, '0');
  return `${compressed(hex.match(/.{4}/g)?.join(':') ?? '')}/${prefix}`;
}

/** The one way to write an address, an IPv4-mapped IPv6 one as the IPv4 one and without a zone; `''` when it is none. */
export function canonicalAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : '';
  const groups = groupsOf(address);
  return isMapped(groups) ? mappedAddress(groups) : compressed(address);
}

/** Tells whether an address lies in any of the ranges; an IPv4-mapped IPv6 address or range counts as the IPv4 one. */
export function rangesOf(ranges: readonly string[]): (address: string) => boolean {
  // One list for each family: a range of IPv6 addresses, even `::/0`, says nothing of IPv4.
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const range of ranges) {
    const { address, family, prefix } = parse(range);
    lists[family].addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (text) => {
    const address = canonicalAddress(text);
    if (address === '') return false;
    return isIP(address) === 4 ? lists[4].check(address, 'ipv4') : lists[6].check(address, 'ipv6');
  };
}

/** The same for ranges that are looked at once. */
export function inRanges(address: string, ranges: readonly string[]): boolean {
  return rangesOf(ranges)(address);
}

/** Whether one of `outer` holds the whole of a range. */
export function isWithin(range: string, outer: readonly string[]): boolean {
  const inner = parse(range);
  return outer.some((text) => {
    const { family, prefix } = parse(text);
    return family === inner.family && prefix <= inner.prefix && inRanges(inner.address, [text]);
  });
}

function parse(range: string): { address: string; family: 4 | 6; prefix: number } {
  const [address = '', length] = range.split('/');
  if (isIP(address) === 4) return { address, family: 4, prefix: length === undefined ? 32 : Number(length) };
  const prefix = length === undefined ? 128 : Number(length);
  const groups = groupsOf(address);
  if (prefix < 96 || !isMapped(groups)) return { address, family: 6, prefix };
  return { address: mappedAddress(groups), family: 4, prefix: prefix - 96 };
}

function masked(bits: bigint, width: number, prefix: number): bigint {
  const behind = BigInt(width - prefix);
  return (bits >> behind) << behind;
}

/** An IPv6 address as in RFC 5952, but for an IPv4 part, which becomes hexadecimal too. */
function compressed(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = compressed(address).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

function mappedAddress(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
