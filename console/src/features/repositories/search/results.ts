import type { Repository } from '../queries.ts';
import type { SearchResult } from './queries.ts';

/** The results in one file. */
export interface FileResults {
  path: string;
  lines: SearchResult[];
}

/** Returns results by their file, in the order in which the files come first. */
export function byFile(results: readonly SearchResult[]): FileResults[] {
  const files = new Map<string, FileResults>();
  for (const result of results) {
    const file = files.get(result.path) ?? { path: result.path, lines: [] };
    file.lines.push(result);
    files.set(result.path, file);
  }
  return [...files.values()];
}

/** Returns the address of a line at the git host; undefined at the built-in one, which has no pages of files. */
export function addressOf(
  { provider, clone_url: url }: Pick<Repository, 'provider' | 'clone_url'>,
  commit: string,
  { path, line }: Pick<SearchResult, 'path' | 'line'>,
): string | undefined {
  if (provider === 'local' || !/^https?:\/\//.test(url)) return undefined;
  const project = url.replace(/\.git$/, '');
  const file = path.split('/').map(encodeURIComponent).join('/');
  switch (provider) {
    case 'github':
      return `${project}/blob/${commit}/${file}${line === 0 ? '' : `#L${line}`}`;
    case 'gitlab':
      return `${project}/-/blob/${commit}/${file}${line === 0 ? '' : `#L${line}`}`;
    case 'pagure':
      return `${project}/blob/${commit}/f/${file}${line === 0 ? '' : `#_${line}`}`;
  }
}

/** Returns a text in parts, of which every second is what was searched; upper case in it counts. */
export function partsOf(text: string, q: string): string[] {
  const flags = /\p{Lu}/u.test(q) ? 'u' : 'iu';
  return text.split(new RegExp(`(${q.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)})`, flags));
}
