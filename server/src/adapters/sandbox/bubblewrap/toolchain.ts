import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Location of `node` and `npm` in a sandbox. */
export type Toolchain = { kind: 'usr' } | { kind: 'prefix'; prefix: string } | { kind: 'pinned' };

/**
 * Finds the host's Node: in `/usr`; in a prefix on the operator's PATH (nvm, asdf, a tarball), which is bound into the
 * sandbox; or else the Node that runs this program.
 */
export function findToolchain(path: string, system = ['/usr/local/bin', '/usr/bin']): Toolchain {
  if (system.some((directory) => existsSync(join(directory, 'node')))) return { kind: 'usr' };
  for (const directory of path.split(':')) {
    // Skips node_modules, which npm puts first in PATH, with the pinned Node among its programs.
    if (!directory.startsWith('/') || directory.includes('/node_modules/')) continue;
    const program = join(directory, 'node');
    if (!existsSync(program)) continue;
    const prefix = dirname(dirname(realpathSync(program)));
    const isPrefix = existsSync(join(prefix, 'bin', 'node')) && prefix.split('/').length > 2;
    if (isPrefix && !prefix.startsWith('/usr/')) return { kind: 'prefix', prefix };
  }
  return { kind: 'pinned' };
}
