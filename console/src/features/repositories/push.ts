import type { Repository } from './queries.ts';

/** Returns the commands that push existing code to a repository. */
export function pushCommands({ clone_url: url, default_branch: branch }: Repository): string {
  return [`git remote add guildhall ${quoted(url)}`, `git push guildhall HEAD:${quoted(branch)}`].join('\n');
}

export function cloneCommand({ clone_url: url }: Repository): string {
  return `git clone ${quoted(url)}`;
}

/** Quotes a word for a shell where it needs that: a branch may be named `a;b`. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
