import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { audienceOf, hashKey, newKey } from './keys.ts';

test('a key is guild_ and 48 hexadecimal characters, the last eight the CRC-32 of what stands before them', () => {
  for (let round = 0; round < 500; round += 1) {
    const key = newKey();
    expect(key).toMatch(/^guild_[0-9a-f]{48}$/);
    expect(Number.parseInt(key.slice(46), 16)).toBe(crc32(key.slice(0, 46)));
    expect(audienceOf(key)).toBe('api');
  }
});

test('a tool token is guildmcp_ and the same, and is never taken for an API key', () => {
  const token = newKey('mcp');
  expect(token).toMatch(/^guildmcp_[0-9a-f]{48}$/);
  expect(Number.parseInt(token.slice(49), 16)).toBe(crc32(token.slice(0, 49)));
  expect(audienceOf(token)).toBe('mcp');
  expect(audienceOf(token.replace('guildmcp_', 'guild_'))).toBeUndefined();
});

test.each([
  ['a changed character', (key: string) => `${key.slice(0, 20)}${key[20] === '0' ? '1' : '0'}${key.slice(21)}`],
  ['upper case', (key: string) => key.toUpperCase()],
  ['a character more', (key: string) => `${key}0`],
  ['another prefix', (key: string) => key.replace('guild_', 'build_')],
])('%s is no key', (_what, change) => {
  expect(audienceOf(change(newKey()))).toBeUndefined();
});

test('what is stored is the SHA-256', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
