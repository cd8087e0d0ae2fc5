import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const directory = new URL('../../../test-peers/', import.meta.url);

/** Loads a package of `test-peers/`, which `node scripts/setup.js --test` installs. */
export const requirePeer = createRequire(new URL('package.json', directory));

/** Reads a file of a package of `test-peers/`. */
export function readPeerFile(path: string): string {
  return readFileSync(new URL(`node_modules/${path}`, directory), 'utf8');
}
