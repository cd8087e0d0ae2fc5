import { createHash, createHmac, timingSafeEqual, type Hash, type Hmac } from 'node:crypto';
import { pace } from '../../lib/pace.ts';

const pieceBytes = 256 * 1_024;

/** Returns the HMAC-SHA256 of a text and a body, in pieces: a body may have 25 MiB. */
export async function hmacOf(key: string | Buffer, body: Uint8Array, head = ''): Promise<Buffer> {
  return (await fed(createHmac('sha256', key).update(head), body)).digest();
}

/** Returns the SHA-256 of a body in hexadecimal, in pieces. */
export async function sha256Of(body: Uint8Array): Promise<string> {
  return (await fed(createHash('sha256'), body)).digest('hex');
}

async function fed<T extends Hash | Hmac>(hash: T, body: Uint8Array): Promise<T> {
  for (let from = 0; from < body.length; from += pieceBytes) {
    await pace();
    hash.update(body.subarray(from, from + pieceBytes));
  }
  return hash;
}

/** Compares in a time that does not depend on the content. */
export function isSame(given: string | Buffer, expected: string | Buffer): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
