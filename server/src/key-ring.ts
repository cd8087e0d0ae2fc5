import { hkdfSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cachedKeys } from './adapters/keys/cached-keys.ts';
import { openFileKeyRing } from './adapters/keys/file/key-ring.ts';
import type { KeyRing, WrappingKeys } from './adapters/keys/port.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-values.ts';
import { installationRoot, ringKeyOfRoot } from './db/installation-keys.ts';
import type { Database } from './db/pool.ts';
import type { Clock } from './lib/clock.ts';
import { messageOf } from './lib/errors.ts';

/**
 * Opens the installation's key ring, and the root that purposes are derived from: a key in the database which the ring
 * wraps, so that it outlives every rotation. Throws for a ring that is not the installation's.
 */
export async function openKeyRing(
  config: Pick<Config, 'keyRing' | 'keyRingValue'>,
  db: Database,
  clock: Clock,
): Promise<KeyRing> {
  const isNew = (await ringKeyOfRoot(db)) === '';
  const keys = cachedKeys(await open(config, isNew), { clock });
  try {
    const root = await installationRoot(db, keys);
    return {
      ...keys,
      derive: (purpose) => Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `guildhall ${purpose}`, 32)),
      close() {
        root.fill(0);
        keys.close();
      },
    };
  } catch (cause) {
    keys.close();
    throw new ConfigError(
      `The key ring ${config.keyRing} does not open this installation: ${messageOf(cause)} All processes of an installation need the same GUILDHALL_KEY_RING.`,
      { cause },
    );
  }
}

async function open(config: Pick<Config, 'keyRing' | 'keyRingValue'>, isNew: boolean): Promise<WrappingKeys> {
  const [kind = '', where = ''] = config.keyRing.split(/:(.*)/s);
  if (kind === 'env') {
    const { openEnvironmentKeyRing } = await import('./adapters/keys/environment/key-ring.ts');
    return openEnvironmentKeyRing(where, config.keyRingValue());
  }
  if (kind === 'aws-kms') {
    const { openKmsKeyRing } = await import('./adapters/keys/aws-kms/key-ring.ts');
    return openKmsKeyRing(where.split(',').map((arn) => arn.trim()));
  }
  if (!isNew && !existsSync(config.keyRing))
    throw new ConfigError(
      `The key ring ${config.keyRing} does not exist, and this installation was made with one. Set GUILDHALL_KEY_RING to where it is, or put it back.`,
    );
  return openFileKeyRing(config.keyRing);
}
