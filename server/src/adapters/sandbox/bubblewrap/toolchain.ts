import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The location of `node` and `npm` in a sandbox, if not in `/usr`. */
export type Toolchain = { kind: 'usr' } | { kind: 'prefix'; prefix: string } | { kind: 'pinned' };

/**
 * The host's Node: in `/usr`; or a prefix elsewhere on the operator's PATH (nvm, asdf, a tarball), which is bound into the
 * sandbox; or none, and the Node that runs this program stands in for it.
 */
export function findToolchain(path: string, system = ['/usr/local/bin', '/usr/bin']): Toolchain {
  if (system.some((directory) => existsSync(join(directory, 'node')))) return { kind: 'usr' };
  for (const directory of path.split(':')) {
    // npm puts the project's own programs first, and among them the pinned Node.
    if (!directory.startsWith('/') || directory.includes('/node_modules/')) continue;
    const program = join(directory, 'node');
    if (!existsSync(program)) continue;
    const prefix = dirname(dirname(realpathSync(program)));
    const isPrefix = existsSync(join(prefix, 'bin', 'node')) && prefix.split('/').length > 2;
    if (isPrefix && !prefix.startsWith('/usr/')) return { kind: 'prefix', prefix };
  }
  return { kind: 'pinned' };
}
