import type { Secret } from './queries.ts';

type Traits = Pick<Secret, 'key' | 'kind' | 'exposure' | 'allowed_hosts'>;

/** Says in one sentence who can see the value of a secret. */
export function exposureOf({ key, kind, exposure, allowed_hosts: hosts }: Traits): string {
  const where = hosts.length === 0 ? 'the allowed hosts' : hosts.join(', ');
  const isGit = kind === 'git_credential';
  if (exposure === 'broker' && kind !== 'file')
    return isGit
      ? `The value stays outside the sandbox: the gateway adds it to git’s requests to ${where}.`
      : `The value stays outside the sandbox: the gateway adds it as a header to requests to ${where}.`;
  const place = isGit ? `in a file that git uses for ${where}` : kind === 'file' ? `in the file $${key}` : `as $${key}`;
  return `Every command in the sandbox can read the value ${place}; it is masked in what leaves a run.`;
}

/** Says in a few words which sessions get it. */
export function givenTo({ scope, repo }: Pick<Secret, 'scope' | 'repo'>): string {
  if (scope === 'repository') return repo;
  return scope === 'user' ? 'my sessions' : 'every session';
}
