import type { Document } from './material.ts';

/** The owners of paths, each with the line of CODEOWNERS that names them. */
export interface Owners {
  of(path: string): { owners: string; path: string; line: number } | undefined;
}

const mostRules = 2_000;

/** Reads CODEOWNERS from where GitHub and GitLab look for it. */
export function openOwners(documents: readonly Document[]): Owners {
  const file = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']
    .map((path) => documents.find((one) => one.path === path))
    .find((one) => one !== undefined);
  const rules = (file?.text.split('\n') ?? []).slice(0, mostRules).flatMap((text, index) => {
    const [pattern = '', ...owners] = text.slice(0, 1_000).trim().split(/\s+/);
    if (pattern === '' || /^[#[]/.test(pattern) || owners.length === 0) return [];
    return [{ isMatch: matcher(pattern), owners: owners.join(' '), line: index + 1 }];
  });
  return {
    of(path) {
      // The last rule that matches decides.
      const rule = rules.findLast(({ isMatch }) => isMatch(path));
      return rule === undefined || file === undefined
        ? undefined
        : { owners: rule.owners, path: file.path, line: rule.line };
    },
  };
}

/** Matches like gitignore, with wildcards within a name only: a pattern must not take time without bound. */
function matcher(pattern: string): (path: string) => boolean {
  const bare = pattern
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/\/\*{1,2}$/, '');
  const isAnchored = pattern.startsWith('/') || bare.includes('/');
  const wanted = bare.split('/');
  if (bare === '*' || bare === '**' || bare === '') return () => true;
  return (path) => {
    const parts = path.split('/');
    const last = isAnchored ? 0 : parts.length - 1;
    for (let at = 0; at <= last; at += 1)
      if (wanted.every((want, index) => isNamed(want, parts[at + index]))) return true;
    return false;
  };
}

function isNamed(want: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  if (want === '*' || want === '**') return true;
  const star = want.indexOf('*');
  if (star < 0) return want === name;
  const [before, after] = [want.slice(0, star), want.slice(want.lastIndexOf('*') + 1)];
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
