import { randomFillSync } from 'node:crypto';
import type { IdPrefix } from './names.ts';

/** Crockford's base32 in lower case: its order is the order of the bits, so ids sort by creation time. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
let lastMs = 0;
let counter = 0;
/**
 * The maximum clock setback in milliseconds that ids compensate for; after a larger one they no longer sort after earlier ids.
 */
const maxAheadMs = 10_000;

/**
 * Creates an id: `<prefix>_` and a UUIDv7 (RFC 9562, method 1: a 12-bit counter within one millisecond) in 26 base32
 * characters. Ids of one process sort strictly by creation, unless its clock is set back by more than 10 s.
 */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs > lastMs || nowMs < lastMs - maxAheadMs) {
    lastMs = nowMs;
    counter = takeRandom().readUInt16BE() & 0x3ff;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  takeRandom().copy(bytes, 8);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return `${prefix}_${base32(bytes)}`;
}

/** Returns the lower bound of the ids created at this moment or later. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, Math.floor(ms)), 0, 6);
  return `${prefix}_${base32(bytes)}`;
}

/** Drawn in batches: every request creates ids, and a draw takes longer than an id. */
const pool = Buffer.alloc(8 * 512);
let poolOffset = pool.length;

function takeRandom(): Buffer {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += 8;
  return pool.subarray(poolOffset - 8, poolOffset);
}

/** 128 bits in 26 characters; the last one holds the three that are left. */
function base32(bytes: Buffer): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return text + alphabet.charAt((held << 2) & 31);
}
