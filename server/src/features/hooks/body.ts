import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/errors.ts';

/** Returns the size that a request declares; undefined if it declares none. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Git hosts give up on a delivery after 10 s; a slow sender would keep others from their turn. */
const arrivesWithinMs = 60_000;

/**
 * Reads a body of at most `maxBytes`. Throws 413 `payload_too_large`, without reading more, and 400 `invalid_request` for
 * a body that has not arrived in time, whose connection is closed.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  withinMs: number = arrivesWithinMs,
): Promise<Buffer> {
  if ((declaredBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => request.destroy(tooSlow(withinMs)), withinMs);
  try {
    for await (const chunk of request) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `A delivery to this webhook can have at most ${maxBytes} bytes.`);
}

function tooSlow(withinMs: number): AppError {
  return new AppError('invalid_request', `The body must arrive within ${withinMs / 1_000} s.`);
}
