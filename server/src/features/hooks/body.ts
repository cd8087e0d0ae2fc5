import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/errors.ts';

/** Returns the size that a request declares; undefined if it declares none. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Reads a body of at most `maxBytes`. Throws 413 `payload_too_large`, without reading more. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if ((declaredBytes(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `A delivery to this webhook can have at most ${maxBytes} bytes.`);
}
