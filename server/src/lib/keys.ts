import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The audience of a key: the API, or only the platform's MCP server. */
export type Audience = 'api' | 'mcp';

const prefixes = { api: 'guild_', mcp: 'guildmcp_' } as const;
const keyPattern = /^(guild_|guildmcp_)([0-9a-f]{40})([0-9a-f]{8})$/;

/**
 * Creates an API key: `guild_`, 40 random hexadecimal characters, and 8 more with the zlib CRC-32 of everything before them, so
 * that scanners can recognize real keys. A tool token starts with `guildmcp_` instead.
 */
export function newKey(audience: Audience = 'api'): string {
  const body = `${prefixes[audience]}${randomBytes(20).toString('hex')}`;
  return body + checksum(body);
}

/**
 * Returns the audience of a string with the form and checksum of a key; undefined for any other. Does not check that the key
 * was issued.
 */
export function audienceOf(key: string): Audience | undefined {
  const [, prefix, random, sum] = keyPattern.exec(key) ?? [];
  if (prefix === undefined || sum !== checksum(`${prefix}${random}`)) return undefined;
  return prefix === prefixes.mcp ? 'mcp' : 'api';
}

/** Hashes a key for storage: SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
