import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a key opens: the API, or the platform's own MCP server alone. */
export type Door = 'api' | 'mcp';

const prefixes = { api: 'guild_', mcp: 'guildmcp_' } as const;
const keyPattern = /^(guild_|guildmcp_)([0-9a-f]{40})([0-9a-f]{8})$/;

/**
 * A new API key: `guild_`, 40 random hexadecimal characters and the zlib CRC-32 of everything before them in 8 more, so
 * that a scanner can tell a real key from a look-alike. A tool token is the same behind `guildmcp_`.
 */
export function newKey(door: Door = 'api'): string {
  const body = `${prefixes[door]}${randomBytes(20).toString('hex')}`;
  return body + checksum(body);
}

/**
 * What a string would open that has the form and the checksum of a key, and undefined for any other; says nothing about
 * whether it was ever issued.
 */
export function doorOf(key: string): Door | undefined {
  const [, prefix, random, sum] = keyPattern.exec(key) ?? [];
  if (prefix === undefined || sum !== checksum(`${prefix}${random}`)) return undefined;
  return prefix === prefixes.mcp ? 'mcp' : 'api';
}

/** What is stored instead of the key: its SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
