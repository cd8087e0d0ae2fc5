import { requireObjectId } from './names.ts';
import { scriptPreamble } from './sandbox-scripts.ts';
import { shellWord } from './shell-word.ts';

export interface MirrorScript {
  /** The bare repository to make or bring up to date, outside the work tree. */
  path: string;
  /** The upstream repository as the sandbox reaches it; `''` for a workspace without one. */
  remoteUrl: string;
  /** `''` without a repository. */
  baseCommit: string;
  /** A bundle inside with a commit of the session on top of the base, removed afterwards; `''` for none. */
  bundlePath: string;
}

/**
 * Makes what a sandbox borrows from where it sees no mirror of the host: the base commit with its history and upstream's tags,
 * fetched through the gateway, and what is in the bundle.
 */
export function mirrorScript({ path, remoteUrl, baseCommit, bundlePath }: MirrorScript): string {
  const fetch =
    remoteUrl === ''
      ? ''
      : `git --git-dir="$mirror" -c gc.auto=0 fetch -q --no-write-fetch-head --no-auto-maintenance \\
  --end-of-options ${shellWord(remoteUrl)} '+${requireObjectId(baseCommit)}:refs/guildhall/base' '+refs/tags/*:refs/tags/*'`;
  const unbundle =
    bundlePath === ''
      ? ''
      : `git --git-dir="$mirror" bundle unbundle ${shellWord(bundlePath)} >/dev/null
rm -f ${shellWord(bundlePath)}`;
  return `${scriptPreamble}
mirror=${shellWord(path)}
mkdir -p "\${mirror%/*}"
if [ ! -f "$mirror/HEAD" ]; then git init -q --bare --template= "$mirror"; fi
${fetch}
${unbundle}
`;
}
