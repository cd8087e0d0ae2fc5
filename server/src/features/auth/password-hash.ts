import { AppError } from '../../lib/errors.ts';
import { createSemaphore } from '../../lib/semaphore.ts';

/**
 * argon2id as the OWASP Password Storage Cheat Sheet asks for: 19 MiB, two passes, one lane. A hash names what it was made
 * with, so raising these lets old ones verify, and they are made anew at the next sign-in.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A flood costs memory and processors, not the machine. */
const turns = createSemaphore(
  2,
  64,
  () => new AppError('capacity_unavailable', 'Too many people sign in right now. Try again in a moment.'),
);

/** Loaded when somebody first signs in: an idle process does without the native library. */
function library() {
  return import('@node-rs/argon2');
}

/** Compatibility forms of a letter are one letter, however the keyboard made it (NIST SP 800-63B). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'));
}

/** Throws 503 `capacity_unavailable` when too many wait already. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await library();
  return turns.run(() => hash(bytesOf(password), parameters));
}

let nobody: Promise<string> | undefined;

/** Whether the password belongs to the hash. Without a hash it takes as long, and is always false. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await library();
  nobody ??= hashPassword('nobody has this password');
  const compared = hash ?? (await nobody);
  const matches = await turns.run(() => verify(compared, bytesOf(password)));
  return matches && hash !== undefined;
}

/** Whether a hash was made with other parameters than today's. */
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
