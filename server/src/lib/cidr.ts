import { BlockList, isIP } from 'node:net';

/** Whether a text is an address or a CIDR range, IPv4 or IPv6. */
export function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone (`fe80::1%eth0`) means something on one host only.
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Whether an address lies in any of the ranges; an IPv4-mapped IPv6 address counts as the IPv4 one. */
export function inRanges(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(network, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}
