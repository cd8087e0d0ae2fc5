import { hkdfSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cachedKeys } from '../adapters/keys/cached-keys.ts';
import { openFileKeyRing } from '../adapters/keys/file/key-ring.ts';
import { readRing } from '../adapters/keys/file/ring-file.ts';
import type { KeyRing, WrappingKeys } from '../adapters/keys/port.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';
import { installationRoot, ringKeyOfRoot } from '../db/installation-keys.ts';
import type { Database } from '../db/pool.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf, ProviderError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

type RingConfig = Pick<Config, 'keyRing' | 'keyRingValue'>;

interface OpenOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens the installation's key ring, and its root key, from which the keys of all purposes are derived. The root key is
 * in the database, wrapped by the ring, so that it outlives every rotation. Throws for the ring of another
 * installation.
 */
export async function openKeyRing(config: RingConfig, { db, clock, log }: OpenOptions): Promise<KeyRing> {
  async function rootOf(keys: Pick<WrappingKeys, 'wrap' | 'unwrap'>): Promise<Buffer> {
    try {
      return await installationRoot(db, keys);
    } catch (cause) {
      const isAway = cause instanceof ProviderError && cause.retryable;
      const problem = isAway
        ? `cannot be used now: ${cause.message} Start again when it can be reached.`
        : `does not open this installation: ${messageOf(cause)} All processes of an installation need the same GUILDHALL_KEY_RING.`;
      throw new ConfigError(`The key ring ${config.keyRing} ${problem}`, { cause });
    }
  }
  const check = async (candidate: Pick<WrappingKeys, 'wrap' | 'unwrap'>): Promise<void> => {
    (await rootOf(candidate)).fill(0);
  };
  const isNew = (await ringKeyOfRoot(db)) === '';
  const keys = cachedKeys(await open(config, isNew, { check, log }), { clock });
  try {
    const root = await rootOf(keys);
    return {
      ...keys,
      derive: (purpose) => Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `guildhall ${purpose}`, 32)),
      close() {
        root.fill(0);
        keys.close();
      },
    };
  } catch (error) {
    keys.close();
    throw error;
  }
}

/** Describes the configured key ring without opening it. Throws for an invalid one. */
export async function describeRing(config: RingConfig): Promise<string> {
  if (!isFile(config)) {
    (await openConfigured(config)).close();
    return config.keyRing;
  }
  if (!existsSync(config.keyRing)) return `${config.keyRing}, which the first start creates`;
  const { warning } = await readRing(config.keyRing);
  return warning === '' ? config.keyRing : warning;
}

async function open(
  config: RingConfig,
  isNew: boolean,
  options: Parameters<typeof openFileKeyRing>[1],
): Promise<WrappingKeys> {
  if (!isFile(config)) return openConfigured(config);
  if (!isNew && !existsSync(config.keyRing))
    throw new ConfigError(
      `The key ring ${config.keyRing} does not exist, but this installation was created with one. Set GUILDHALL_KEY_RING to its location, or restore it.`,
    );
  return openFileKeyRing(config.keyRing, options);
}

function isFile({ keyRing }: RingConfig): boolean {
  return !/^(env|aws-kms):/.test(keyRing);
}

async function openConfigured({ keyRing, keyRingValue }: RingConfig): Promise<WrappingKeys> {
  const [kind = '', where = ''] = keyRing.split(/:(.*)/s);
  if (kind === 'env') {
    const { openEnvironmentKeyRing } = await import('../adapters/keys/environment/key-ring.ts');
    return openEnvironmentKeyRing(where, keyRingValue());
  }
  const { openKmsKeyRing } = await import('../adapters/keys/aws-kms/key-ring.ts');
  return openKmsKeyRing(where.split(',').map((arn) => arn.trim()));
}
