/** A range of addresses. IPv4 is what it is in IPv6: `10.0.0.0/8` is `::ffff:10.0.0.0/104`. */
interface Range {
  network: bigint;
  bits: number;
}

const width = 128;
const mapped = 0xffff_0000_0000n;

/** Returns an address as a number of 128 bits; undefined for any other text. */
export function parseAddress(text: string): bigint | undefined {
  const v4 = parseV4(text);
  if (v4 !== undefined) return mapped | v4;
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const given = head.length + (tail?.length ?? 0);
  if (halves.length === 1 ? given !== 8 : given > 7) return undefined;
  const groups = [...head, ...Array.from({ length: 8 - given }, () => 0n), ...(tail ?? [])];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function groupsOf(text: string): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parseV4(parts.at(-1) ?? '');
  const words = last === undefined ? parts : parts.slice(0, -1);
  if (!words.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const groups = words.map((part) => BigInt(`0x${part}`));
  return last === undefined ? groups : [...groups, last >> 16n, last & 0xffffn];
}

/** Returns the range of a text, which is an address or a CIDR range; undefined for any other. */
export function parseRange(text: string): Range | undefined {
  const [address = '', length, ...rest] = text.trim().split('/');
  const network = parseAddress(address);
  if (network === undefined || rest.length > 0) return undefined;
  const own = address.includes(':') ? width : 32;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > own)) return undefined;
  return { network, bits: width - own + (length === undefined ? own : Number(length)) };
}

/** Returns true if an address is in one of the ranges; texts that are none hold nothing. */
export function isInside(address: string, ranges: readonly string[]): boolean {
  const wanted = parseAddress(address);
  if (wanted === undefined) return false;
  return ranges.some((text) => {
    const range = parseRange(text);
    if (range === undefined) return false;
    const rest = BigInt(width - range.bits);
    // An IPv6 range that is wider than the mapped addresses does not hold IPv4.
    if (wanted >> 32n === mapped >> 32n && range.bits < 96) return false;
    return wanted >> rest === range.network >> rest;
  });
}
