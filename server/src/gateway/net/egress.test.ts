import { assert, nat, property, tuple, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { targetOf } from '../../lib/hosts.ts';
import { parseAuthority } from '../../lib/hosts.ts';
import { classifyAddress, mayDial, networkRefusal, plainAddress } from './egress.ts';

const table: [address: string, kind: string][] = [
  ['8.8.8.8', 'public'],
  ['172.15.255.255', 'public'],
  ['172.32.0.0', 'public'],
  ['100.63.255.255', 'public'],
  ['100.128.0.0', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['64:ff9b::808:808', 'public'],
  ['2002:808:808::1', 'public'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'shared'],
  ['100.127.255.255', 'shared'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.1.1', 'link_local'],
  ['169.254.169.254', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['203.0.113.9', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'metadata'],
  ['::127.0.0.1', 'loopback'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:0:10.0.0.1', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::a9fe:a9fe', 'metadata'],
  ['64:ff9b:1::808:808', 'reserved'],
  ['2002:7f00:1::', 'loopback'],
  ['2002:a00:1::1', 'private'],
  ['2001:0:1:2:3:4:5:6', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['2606:4700::5efe:10.0.0.1', 'private'],
  ['2606:4700::200:5efe:7f00:1', 'loopback'],
  ['3fff::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['100::1', 'reserved'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['fd12:3456::1', 'private'],
  ['fc00::1', 'private'],
  ['fe80::1', 'link_local'],
  ['fe80::1%eth0', 'link_local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['fe80::1%25eth0', 'link_local'],
  ['::ffff:10.0.0.1%eth0', 'private'],
  ['::ffff:0a00:0001', 'private'],
  ['0000:0000:0000:0000:0000:FFFF:169.254.169.254', 'metadata'],
  // Spellings that only some programs accept are not addresses, so they are never public.
  ['0177.0.0.1', 'reserved'],
  ['010.0.0.1', 'reserved'],
  ['08.8.8.8', 'reserved'],
  ['0x7f.0.0.1', 'reserved'],
  ['0x8.0x8.0x8.0x8', 'reserved'],
  ['0x08080808', 'reserved'],
  ['134744072', 'reserved'],
  ['8.8', 'reserved'],
  ['8.8.8.8.', 'reserved'],
  ['8.8.8.8/32', 'reserved'],
  ['::ffff:010.0.0.1', 'reserved'],
  ['::ffff:8.8', 'reserved'],
  ['2606:4700::1.', 'reserved'],
  ['[2606:4700::1]', 'reserved'],
  [' 8.8.8.8', 'reserved'],
  ['localhost', 'reserved'],
  ['', 'reserved'],
];

const octets = tuple(nat(255), nat(255), nat(255), nat(255));

describe('addresses', () => {
  test.each(table)('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  test('an IPv4 address is judged alike in every IPv6 form that carries it', () => {
    assert(
      property(octets, (bytes) => {
        const plain = bytes.join('.');
        const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
        const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
        const kind = classifyAddress(plain);
        expect(classifyAddress(`::ffff:${plain}`)).toBe(kind);
        expect(classifyAddress(`::FFFF:${groups}`)).toBe(kind);
        expect(classifyAddress(`0:0:0:0:0:ffff:${groups}`)).toBe(kind);
        expect(classifyAddress(`64:ff9b::${groups}`)).toBe(kind);
        expect(classifyAddress(`2002:${groups}::1`)).toBe(kind);
        expect(plainAddress(`::ffff:${groups}`)).toBe(plain);
        if (kind !== 'public') expect(classifyAddress(`2606:4700::5efe:${groups}`)).toBe(kind);
        expect(classifyAddress(`::${groups}`)).not.toBe('public');
      }),
      { numRuns: 2_000 },
    );
  });

  test('an IPv6 address outside of global unicast is never public', () => {
    assert(
      property(uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const groups = Array.from({ length: 8 }, (_, index) =>
          (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
        );
        const kind = classifyAddress(groups.join(':'));
        if (((bytes[0] ?? 0) & 0xe0) !== 0x20) expect(kind).not.toBe('public');
      }),
      { numRuns: 2_000 },
    );
  });

  test('whatever a URL parser makes of an IPv4 spelling, the authority of a CONNECT is read the same', () => {
    assert(
      property(octets, ([a, b, c, d]) => {
        const value = ((a * 256 + b) * 256 + c) * 256 + d;
        const spellings = [
          String(value),
          `0x${value.toString(16)}`,
          `0${value.toString(8)}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
          `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
        ];
        for (const spelling of spellings) {
          const target = parseAuthority(`${spelling}:443`);
          expect(plainAddress(target?.host ?? '')).toBe(`${a}.${b}.${c}.${d}`);
        }
      }),
    );
  });
});

describe('targets', () => {
  test.each([
    ['example.org:443', { host: 'example.org', port: 443 }],
    ['EXAMPLE.org.:80', { host: 'example.org', port: 80 }],
    ['[2606:4700::1]:443', { host: '2606:4700::1', port: 443 }],
    ['127.1:22', { host: '127.0.0.1', port: 22 }],
    ['127.0.0.1.:22', { host: '127.0.0.1', port: 22 }],
    ['0177.0.0.1:22', { host: '127.0.0.1', port: 22 }],
    ['0x7f.1.:22', { host: '127.0.0.1', port: 22 }],
    ['１２７.０.０.１:22', { host: '127.0.0.1', port: 22 }],
  ])('%s is understood', (authority, target) => {
    expect(parseAuthority(authority)).toEqual(target);
  });

  test.each([
    'example.org',
    'example.org:0',
    'example.org:65536',
    'a@b:80',
    'a/b:80',
    '::1:80',
    'a b:80',
    ':80',
    'a:1:2',
    '[fe80::1%25eth0]:80',
    'http://a:80',
    '999.1.1.1:80',
  ])('%s is refused', (authority) => {
    expect(parseAuthority(authority)).toBeUndefined();
  });

  test('the port of a URL follows from its scheme', () => {
    expect(targetOf(new URL('https://Example.org/a'))).toEqual({ host: 'example.org', port: 443 });
    expect(targetOf(new URL('http://[::1]:8080/'))).toEqual({ host: '::1', port: 8080 });
  });
});

describe('openings of the operator', () => {
  const target = { host: 'git.corp', port: 8443 };
  test.each([
    ['http', '10.0.0.0/8', true],
    ['*', '10.1.2.3', true],
    ['http', '::ffff:10.1.2.3', true],
    ['http', 'git.corp:8443', true],
    ['http', 'GIT.corp.:8443', true],
    ['http', 'git.corp:443', false],
    ['http', 'other.corp:8443', false],
    ['git', '10.0.0.0/8', false],
    ['http', '192.168.0.0/16', false],
    ['http', 'nonsense', false],
  ] as const)('%s=%s opens 10.1.2.3 for http: %s', (purpose, rule, opened) => {
    expect(mayDial([{ purpose, target: rule }], 'http', target, '10.1.2.3')).toBe(opened);
    expect(mayDial([{ purpose, target: rule }], 'http', target, '::ffff:a01:203')).toBe(opened);
  });
});

describe('network modes', () => {
  const reason = (mode: Parameters<typeof networkRefusal>[0], host: string, port = 443, allowed: string[] = []) =>
    networkRefusal(mode, allowed, { host, port })?.reason;

  test('none and registries reach nothing by name, open reaches all but mail', () => {
    expect(reason('none', 'example.org')).toBe('network_none');
    expect(reason('registries', 'example.org')).toBe('network_registries');
    expect(reason('open', 'example.org')).toBeUndefined();
    expect(reason('open', 'example.org', 22)).toBeUndefined();
    expect(reason('open', 'example.org', 25)).toBe('port_not_allowed');
  });

  test.each([
    ['example.org', 'example.org', 443, true],
    ['Example.ORG', 'example.org', 80, true],
    ['example.org', 'example.org', 8080, false],
    ['example.org:8080', 'example.org', 8080, true],
    ['example.org:8080', 'example.org', 443, false],
    ['example.org', 'a.example.org', 443, false],
    ['*.example.org', 'a.b.example.org', 443, true],
    ['*.example.org', 'example.org', 443, false],
    ['*.example.org', 'badexample.org', 443, false],
    ['*.0.0.1', '10.0.0.1', 443, false],
    ['*.', 'example.org', 443, false],
    ['*', 'example.org', 443, false],
    ['', 'example.org', 443, false],
  ])('the allowed host %s admits %s:%d: %s', (pattern, host, port, admitted) => {
    expect(reason('allowlist', host, port, [pattern]) === undefined).toBe(admitted);
  });
});
