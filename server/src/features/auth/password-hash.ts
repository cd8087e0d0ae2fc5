import { AppError } from '../../lib/errors.ts';

/**
 * argon2id as the OWASP Password Storage Cheat Sheet asks for: 19 MiB, two passes, one lane. A hash names what it was made
 * with, so raising these lets old ones verify, and they are made anew at the next sign-in.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes at once in this process, and how many may wait: a flood costs memory and processors, not the machine. */
const atOnce = 2;
const mayWait = 64;

let running = 0;
const waiting: (() => void)[] = [];

/** Loaded when somebody first signs in: an idle process does without the native library. */
function library() {
  return import('@node-rs/argon2');
}

/** Throws 503 `capacity_unavailable` when too many wait already. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mayWait)
      throw new AppError('capacity_unavailable', 'Too many people sign in right now. Try again in a moment.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    // The place goes to the one that waited longest, or is given up.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Compatibility forms of a letter are one letter, however the keyboard made it (NIST SP 800-63B). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'));
}

export async function hashPassword(password: string): Promise<string> {
  const { hash } = await library();
  return inTurn(() => hash(bytesOf(password), parameters));
}

let nobody: Promise<string> | undefined;

/** Whether the password belongs to the hash. Without a hash it takes as long, and is always false. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await library();
  nobody ??= hashPassword('nobody has this password');
  const compared = hash ?? (await nobody);
  const matches = await inTurn(() => verify(compared, bytesOf(password)));
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
