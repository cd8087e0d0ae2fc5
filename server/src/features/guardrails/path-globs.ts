import { matchesAny } from '../../lib/patterns.ts';

/**
 * Returns true if a glob protects a path: `*` matches any characters, including slashes. A glob without a slash matches a
 * name in any directory; one of a directory also matches everything in it; one that begins with a slash only matches from
 * the root.
 */
export function protects(glob: string, path: string): boolean {
  const isAnchored = glob.startsWith('/');
  const name = glob.slice(isAnchored ? 1 : 0).replace(/\/$/, '');
  if (name === '') return false;
  const anywhere = name.startsWith('**/') ? name.slice(3) : name;
  const isAnywhere = anywhere !== name || (!isAnchored && !name.includes('/'));
  const forms = [
    name,
    `${name}/*`,
    ...(isAnywhere ? [anywhere, `${anywhere}/*`, `*/${anywhere}`, `*/${anywhere}/*`] : []),
  ];
  return matchesAny(forms, path);
}
