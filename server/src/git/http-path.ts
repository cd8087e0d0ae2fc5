export type GitService = 'upload-pack' | 'receive-pack';

export interface GitPath {
  /** Path in the URL without `.git`; everything before the last slash is the owner: `group/sub/name`. */
  repo: string;
  endpoint: 'info/refs' | 'upload-pack' | 'receive-pack';
}

/**
 * Parses the path of a smart HTTP request below its mount (`/acme/widgets.git/info/refs`, with or without `.git`). Undefined for
 * anything else, including files of the dumb protocol.
 */
export function parseGitPath(pathname: string): GitPath | undefined {
  const match = /^\/?(.+?)(?:\.git)?\/(?:(info\/refs)|git-(upload-pack|receive-pack))$/.exec(pathname);
  const [, repo = '', info, service] = match ?? [];
  if (!/^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)+$/.test(repo) || repo.split('/').some((part) => /^\.+$/.test(part))) {
    return undefined;
  }
  if (info !== undefined) return { repo, endpoint: 'info/refs' };
  return service === 'upload-pack' || service === 'receive-pack' ? { repo, endpoint: service } : undefined;
}

/** Parses the service of an `info/refs` request; undefined for the dumb protocol or an unknown service. */
export function parseService(value: string | undefined | null): GitService | undefined {
  if (value === 'git-upload-pack') return 'upload-pack';
  return value === 'git-receive-pack' ? 'receive-pack' : undefined;
}
