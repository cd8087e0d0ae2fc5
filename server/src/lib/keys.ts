import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const keyPattern = /^guild_[0-9a-f]{48}$/;

/**
 * A new API key: `guild_`, 40 random hexadecimal characters and the zlib CRC-32 of everything before them in 8 more, so
 * that a scanner can tell a real key from a look-alike.
 */
export function newKey(): string {
  const body = `guild_${randomBytes(20).toString('hex')}`;
  return body + checksum(body);
}

/** Whether a string has the form and the checksum of a key; says nothing about whether it was ever issued. */
export function isWellFormedKey(key: string): boolean {
  return keyPattern.test(key) && checksum(key.slice(0, 46)) === key.slice(46);
}

/** What is stored instead of the key: its SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
