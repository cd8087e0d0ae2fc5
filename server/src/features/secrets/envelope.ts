import { createCipheriv, createDecipheriv, randomBytes, type CipherGCM, type DecipherGCM } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keyOfVersion, newestKey, type KeyContext } from './organization-keys.ts';

/** Sealed layout: format, version of the data key, nonce, ciphertext, tag. */
const format = 1;
const headBytes = 5;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** Number of bytes that sealing adds. */
export const sealedOverheadBytes = headBytes + nonceBytes + tagBytes;

/** Thrown for sealed bytes that are malformed, were changed or belong to another purpose. */
export class SealBroken extends Error {
  constructor(orgId: string, purpose: string, cause?: unknown) {
    super(`Cannot decrypt ${JSON.stringify(purpose)} of ${orgId}: the data was changed or belongs to something else.`, {
      cause,
    });
    this.name = 'SealBroken';
  }
}

/**
 * Seals bytes under the organization's data key with AES-256-GCM. They can be opened only for the same organization and purpose,
 * such as `secret <id> <version>`. May wait for a KMS, so call it outside of transactions.
 */
export async function seal(ctx: KeyContext, orgId: string, purpose: string, bytes: Buffer): Promise<Buffer> {
  const { start, cipher } = await beginSeal(ctx, orgId, purpose);
  return Buffer.concat([start, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Like {@link seal}, chunk by chunk. */
export async function* sealing(
  ctx: KeyContext,
  orgId: string,
  purpose: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const { start, cipher } = await beginSeal(ctx, orgId, purpose);
  yield start;
  for await (const chunk of bytes) yield cipher.update(chunk);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

async function beginSeal(
  ctx: KeyContext,
  orgId: string,
  purpose: string,
): Promise<{ start: Buffer; cipher: CipherGCM }> {
  const { version, key } = await newestKey(ctx, orgId);
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(format, 0);
  head.writeUInt32BE(version, 1);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  key.fill(0);
  cipher.setAAD(bindingBytes(orgId, purpose, head));
  return { start: Buffer.concat([head, nonce]), cipher };
}

/** Opens bytes that {@link seal} sealed for the same organization and purpose. Throws {@link SealBroken}. */
export async function open(ctx: KeyContext, orgId: string, purpose: string, sealed: Buffer): Promise<Buffer> {
  if (sealed.length < sealedOverheadBytes) throw new SealBroken(orgId, purpose);
  const startBytes = headBytes + nonceBytes;
  const tagAt = sealed.length - tagBytes;
  const decipher = await beginOpen(ctx, orgId, purpose, sealed.subarray(0, startBytes));
  const opened = decipher.update(sealed.subarray(startBytes, tagAt));
  return Buffer.concat([opened, endOpen(decipher, sealed.subarray(tagAt), orgId, purpose)]);
}

/**
 * Like {@link open}, chunk by chunk into a file. Throws {@link SealBroken}. The file appears only once all of it is verified,
 * because nothing is authenticated before the last chunk.
 */
export async function openInto(
  ctx: KeyContext,
  orgId: string,
  purpose: string,
  sealed: AsyncIterable<Buffer>,
  file: string,
): Promise<void> {
  let isSound = false;
  try {
    await pipeline(
      Readable.from(opening(ctx, orgId, purpose, sealed), { objectMode: false }),
      createWriteStream(file, { mode: 0o600 }),
    );
    isSound = true;
  } finally {
    if (!isSound) await rm(file, { force: true });
  }
}

async function* opening(
  ctx: KeyContext,
  orgId: string,
  purpose: string,
  sealed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const startBytes = headBytes + nonceBytes;
  let held: Buffer = Buffer.alloc(0);
  let decipher: DecipherGCM | undefined;
  for await (const chunk of sealed) {
    held = Buffer.concat([held, chunk]);
    if (decipher === undefined) {
      if (held.length < startBytes) continue;
      decipher = await beginOpen(ctx, orgId, purpose, held.subarray(0, startBytes));
      held = held.subarray(startBytes);
    }
    // The tag comes last.
    const ready = held.length - tagBytes;
    if (ready <= 0) continue;
    yield decipher.update(held.subarray(0, ready));
    held = held.subarray(ready);
  }
  if (decipher === undefined || held.length !== tagBytes) throw new SealBroken(orgId, purpose);
  yield endOpen(decipher, held, orgId, purpose);
}

async function beginOpen(ctx: KeyContext, orgId: string, purpose: string, start: Buffer): Promise<DecipherGCM> {
  if (start.readUInt8(0) !== format) throw new SealBroken(orgId, purpose);
  const head = start.subarray(0, headBytes);
  const { key } = await keyOfVersion(ctx, orgId, head.readUInt32BE(1));
  const decipher = createDecipheriv(algorithm, key, start.subarray(headBytes), { authTagLength: tagBytes });
  key.fill(0);
  decipher.setAAD(bindingBytes(orgId, purpose, head));
  return decipher;
}

function endOpen(decipher: DecipherGCM, tag: Buffer, orgId: string, purpose: string): Buffer {
  decipher.setAuthTag(tag);
  try {
    return decipher.final();
  } catch (cause) {
    throw new SealBroken(orgId, purpose, cause);
  }
}

function bindingBytes(orgId: string, purpose: string, head: Buffer): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([orgId, purpose]))]);
}
