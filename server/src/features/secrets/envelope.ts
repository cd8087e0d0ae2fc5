import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyOfVersion, newestKey, type KeyContext } from './organization-keys.ts';

/** What is sealed: format, version of the data key, nonce, ciphertext, tag. */
const format = 1;
const headBytes = 5;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** How much longer sealed bytes are than open ones. */
export const sealedOverheadBytes = headBytes + nonceBytes + tagBytes;

/** Sealed bytes that were changed, belong to something else, or are none. */
export class SealBroken extends Error {
  constructor(orgId: string, purpose: string, cause?: unknown) {
    super(`What is sealed for ${JSON.stringify(purpose)} of ${orgId} cannot be opened.`, { cause });
    this.name = 'SealBroken';
  }
}

/**
 * Seals bytes under the organization's data key with AES-256-GCM. They open for the same organization and purpose alone,
 * which name what they are: `secret <id> <version>`. May wait for a KMS, so it has no place in a transaction.
 */
export async function seal(ctx: KeyContext, orgId: string, purpose: string, bytes: Buffer): Promise<Buffer> {
  const { version, key } = await newestKey(ctx, orgId);
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(format, 0);
  head.writeUInt32BE(version, 1);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  key.fill(0);
  cipher.setAAD(bindingBytes(orgId, purpose, head));
  return Buffer.concat([head, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link seal} sealed for the same organization and purpose. Throws {@link SealBroken}. */
export async function open(ctx: KeyContext, orgId: string, purpose: string, sealed: Buffer): Promise<Buffer> {
  if (sealed.length < sealedOverheadBytes || sealed.readUInt8(0) !== format) throw new SealBroken(orgId, purpose);
  const head = sealed.subarray(0, headBytes);
  const { key } = await keyOfVersion(ctx, orgId, head.readUInt32BE(1));
  const tagAt = sealed.length - tagBytes;
  const nonce = sealed.subarray(headBytes, headBytes + nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  key.fill(0);
  decipher.setAAD(bindingBytes(orgId, purpose, head));
  decipher.setAuthTag(sealed.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(headBytes + nonceBytes, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken(orgId, purpose, cause);
  }
}

function bindingBytes(orgId: string, purpose: string, head: Buffer): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([orgId, purpose]))]);
}
