import { requireObjectId } from './names.ts';
import { scriptPreamble } from './sandbox-scripts.ts';
import { shellWord } from './shell-word.ts';

export interface MirrorScript {
  /** The bare repository to create or update, outside the work tree. */
  path: string;
  /** URL of the upstream repository inside the sandbox; `''` for a workspace without one. */
  remoteUrl: string;
  /** `''` without a repository. */
  baseCommit: string;
  /** Path inside of a bundle with the session's commits on top of the base, which is removed afterwards; `''` for none. */
  bundlePath: string;
}

/**
 * Returns a script that creates a mirror inside a sandbox that cannot mount the host's: the base commit with its history and
 * upstream's tags, fetched through the gateway, and the bundle's commits.
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
