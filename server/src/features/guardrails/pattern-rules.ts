import { isBranchName } from '../../git/names.ts';
import { FieldError } from '../../lib/field-error.ts';
import type { Rules } from './rules.ts';

/** Refuses globs that can match nothing, because they would protect nothing. Throws 400 `invalid_request`. */
export function checkPatterns({
  protected_paths: paths = [],
  protected_branches: branches = [],
}: Partial<Rules>): void {
  const issues = [
    ...paths.map((glob, at) => ({ path: `/protected_paths/${at}`, message: problemOfPath(glob) })),
    ...branches.map((glob, at) => ({ path: `/protected_branches/${at}`, message: problemOfBranch(glob) })),
  ].filter(({ message }) => message !== '');
  if (issues.length > 0) throw new FieldError(issues);
}

function problemOfPath(glob: string): string {
  if (glob !== glob.trim()) return 'must not begin or end with white space';
  const name = glob.replace(/^\//, '').replace(/\/$/, '');
  if (name === '') return 'must name files; `*` is every file';
  return name.split('/').some((part) => part === '' || part === '.' || part === '..')
    ? 'must be a path from the root of the repository, without empty parts, . and ..'
    : '';
}

function problemOfBranch(glob: string): string {
  return glob.startsWith('refs/') || !isBranchName(glob.replaceAll('*', 'x'))
    ? 'must be the name of a branch, such as "main" or "release/*", without "refs/heads/"'
    : '';
}
