import { AppError } from '../../lib/errors.ts';
import { createSemaphore } from '../../lib/semaphore.ts';

/**
 * argon2id as recommended by the OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. A hash contains its
 * parameters, so old ones verify after a change and are replaced at the next sign-in.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Limits the memory and processors that a flood of sign-ins can take. */
const turns = createSemaphore(
  2,
  64,
  () => new AppError('capacity_unavailable', 'Too many sign-ins are in progress. Try again in a moment.'),
);

/** Loaded on the first sign-in, so that an idle process does not load the native library. */
function library() {
  return import('@node-rs/argon2');
}

/** Normalizes compatibility forms of characters, so that keyboards do not matter (NIST SP 800-63B). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'));
}

/** Throws 503 `capacity_unavailable` if too many are waiting. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await library();
  return turns.run(() => hash(bytesOf(password), parameters));
}

let nobody: Promise<string> | undefined;

/** Verifies a password. Without a hash it takes the same time and returns false. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await library();
  nobody ??= hashPassword('nobody has this password');
  const compared = hash ?? (await nobody);
  const matches = await turns.run(() => verify(compared, bytesOf(password)));
  return matches && hash !== undefined;
}

/** Tells if a hash was made with outdated parameters. */
export async function isOutdated(hash: string): Promise<boolean> {
  const { parseOptions } = await library();
  const { memoryCost, timeCost, parallelism } = parseOptions(hash);
  const same =
    memoryCost === parameters.memoryCost &&
    timeCost === parameters.timeCost &&
    parallelism === parameters.parallelism &&
    hash.startsWith('$argon2id$');
  return !same;
}
