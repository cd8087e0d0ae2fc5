import { requireBranchName, requireObjectId } from './names.ts';
import type { Person } from './bare.ts';
import { configScript, type Setting } from './sandbox-config.ts';
import { shellWord } from './shell-word.ts';
import { snapshotSteps } from './snapshot-steps.ts';

/**
 * Bash scripts for git inside a sandbox, as text; nothing is executed here. Checkpoints do not use the agent's `.git`, which the
 * agent may break, configure or delete, but a private git directory and index that borrow the mirror's objects. So HEAD,
 * index, hooks and configuration of the agent's repository have no effect and do not change.
 */
export interface SandboxRepository {
  /** The work tree, e.g. `/workspace`. */
  workspace: string;
  /** The private git directory outside the work tree, e.g. `/home/agent/.guildhall/git`. */
  gitDir: string;
  /** The mirror whose objects are borrowed: mounted read-only, or the sandbox's own; '' for a workspace without a repository. */
  mirrorPath: string;
  /** The session's base commit; '' without one. */
  baseCommit: string;
}

export interface CloneScript extends SandboxRepository {
  /** The session's branch, created at the base commit and checked out. */
  branch: string;
  /** The upstream branch to merge into; '' if the session started from a tag or commit. */
  baseBranch: string;
  /** The URL of `origin` inside, at the gateway. */
  remoteUrl: string;
  /** Author of the agent's own commits. */
  author: Person;
}

export interface SnapshotScript extends SandboxRepository {
  /** The commit's parent: the last delivered commit, or the base, which also replaces a missing one. */
  parent: string;
  author: Person;
  message: string;
  /** Path of the bundle, which has the snapshot without the objects of the base and `lastCommit`. */
  bundlePath: string;
  /** The last snapshot copied out of the sandbox. With it, the bundle's commit follows both this one and the new snapshot. */
  lastCommit?: string;
  /** The tree of the last snapshot, if there was one after `parent`; an equal tree creates no commit. */
  lastTree?: string;
  /** The tree of the base commit, if it is known. */
  baseTree?: string;
  /** Another parent, once the agent's own repository has merged it; `''` for none. */
  mergeCommit?: string;
  /** Larger files that git does not ignore are left out and reported; default 100 MiB. */
  maxFileBytes?: number;
  /** Default: the sandbox's clock. */
  date?: Date;
}

export interface Snapshot {
  /** The new commit; without changes the parent, or the base if the parent is missing. */
  commit: string;
  tree: string;
  /** The tree differs from `lastTree`, or else from the parent's; only then a commit and its bundle were created. */
  changed: boolean;
  /** The new commit follows `mergeCommit`. */
  merged: boolean;
  /** Omitted paths: too large, unreadable, or with a name that git refuses (`.GIT`, `git~1`). */
  skipped: string[];
}

/** Start of every script: removes the agent's variables and configuration. */
export const scriptPreamble = `set -euo pipefail
for name in "\${!GIT_@}"; do unset "$name"; done
export PATH="/usr/local/bin:/usr/bin:/bin:$PATH" LC_ALL=C HOME=/nonexistent
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
`;

/** Defines `private_git`: git on the private directory, without hooks. */
function preamble(repository: SandboxRepository): string {
  if (repository.baseCommit !== '') requireObjectId(repository.baseCommit);
  return `${scriptPreamble}ws=${shellWord(repository.workspace)}
dir=${shellWord(repository.gitDir)}
mirror=${shellWord(repository.mirrorPath)}
base=${shellWord(repository.baseCommit)}
private=(
  --git-dir="$dir" --work-tree="$ws" -c core.fsmonitor=false -c core.hooksPath=/dev/null -c gc.auto=0
  -c core.attributesFile=/dev/null -c core.excludesFile=/dev/null -c core.untrackedCache=false
)
private_git() { git "\${private[@]}" "$@"; }
# Writes the files of git init (gitrepository-layout(5)), which takes longer: the git directory, whether it is bare, its branch.
init() {
  if [ ! -f "$1/config" ]; then printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfilemode = true\\n\\tbare = %s\\n' "$2" > "$1/config"; fi
  printf 'ref: refs/heads/%s\\n' "$3" > "$1/HEAD"
}
# Borrowing is a path in a file: unlike a clone it asks no other git process, which would refuse a mirror of another owner.
borrow() {
  if [ ! -d "$1/objects/info" ]; then mkdir -p "$1/objects/info"; fi
  if [ -n "$mirror" ]; then printf '%s/objects\\n' "$mirror" > "$1/objects/info/alternates"; fi
}
# Also creates the directories that it is given: starting a program costs more than its work.
create_private() {
  if [ ! -f "$dir/HEAD" ] || [ ! -d "$dir/objects" ] || [ ! -d "$dir/refs" ]; then
    if [ -e "$dir" ]; then rm -rf "$dir"; fi
    mkdir -p "$dir"/{objects/info,objects/pack,refs/heads} "$@"
    init "$dir" true main
  elif [ $# != 0 ]; then
    mkdir -p "$@"
  fi
  borrow "$dir"
  for lock in "$dir"/*.lock; do if [ -e "$lock" ]; then rm -f "$lock"; fi; done
}
open_private() {
  create_private
  if [ ! -f "$dir/index" ]; then
    if [ -n "$base" ]; then private_git read-tree "$base"; else private_git read-tree --empty; fi
  fi
}
`;
}

/**
 * Returns a script that fills the workspace from the mirror: the base commit on the session's branch, upstream's tags, and
 * `origin` at the gateway. Works in an empty directory and on a layer with an earlier checkout of the repository.
 */
export function cloneScript(input: CloneScript): string {
  const branch = requireBranchName(input.branch);
  const upstream = input.baseBranch === '' ? '' : requireBranchName(input.baseBranch);
  return `${preamble(input)}
upstream=${shellWord(upstream)}
own="$ws/.git" origin="$ws/.git/refs/remotes/origin/$upstream"
# What refs of a layer name may be gone from upstream, and from the mirror; its index is of use.
if [ -d "$own" ]; then
  rm -rf "$own"/{refs,logs,packed-refs,HEAD,ORIG_HEAD,FETCH_HEAD} "$own"/*.lock
elif [ -e "$own" ]; then
  rm -f "$own"
fi
create_private "$own"/{objects/info,objects/pack,refs/heads,refs/tags} "\${origin%/*}"
cd "$ws"
fresh=1
if [ -f .git/config ]; then fresh=; fi
init .git false ${shellWord(branch)}
own_git() { git -C "$ws" --git-dir="$own" --work-tree="$ws" -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"; }
borrow "$own"
has_tags() {
  for tag in "$mirror"/refs/tags/*; do if [ -e "$tag" ]; then return 0; fi; done
  [ -f "$mirror/packed-refs" ] && grep -q ' refs/tags/' "$mirror/packed-refs"
}
if [ -n "$mirror" ] && has_tags; then
  git -c safe.directory='*' --git-dir="$mirror" for-each-ref --format='%(objectname) %(refname)' refs/tags > .git/packed-refs
fi
${configScript(settingsOf(input))}
if [ -n "$base" ]; then
  own_git checkout -q -f --no-track -B ${shellWord(branch)} "$base"
  if [ -n "$upstream" ]; then
    printf '%s\\n' "$base" > "$origin"
    printf 'ref: refs/remotes/origin/%s\\n' "$upstream" > .git/refs/remotes/origin/HEAD
  fi
fi
# The checkout's index knows the files' times, so the first snapshot need not read every file.
if [ -f .git/index ]; then cp .git/index "$dir/index"; fi
open_private
`;
}

function settingsOf({ author, remoteUrl }: CloneScript): Setting[] {
  return [
    ['gc', 'auto', '0'],
    ['user', 'name', author.name],
    ['user', 'email', author.email],
    ['remote "origin"', 'url', remoteUrl],
    ['remote "origin"', 'fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ['push', 'default', 'current'],
    ['push', 'autoSetupRemote', 'true'],
  ];
}

/**
 * Returns a script that commits the work tree, without files in `.gitignore`, and bundles the commit. A nested repository
 * becomes plain files (without its `.git`); a registered submodule stays one. {@link parseSnapshot} parses the output. Must run
 * one at a time; replaces a damaged private directory.
 */
export function snapshotScript(input: SnapshotScript): string {
  const date = input.date === undefined ? '' : `@${Math.floor(input.date.getTime() / 1000)} +0000`;
  return `${preamble(input)}
parent=${shellWord(input.parent === '' ? '' : requireObjectId(input.parent))}
last=${shellWord(input.lastTree === undefined ? '' : requireObjectId(input.lastTree))}
base_tree=${shellWord(input.baseTree ? requireObjectId(input.baseTree) : '')}
sent=${shellWord(input.lastCommit === undefined ? '' : requireObjectId(input.lastCommit))}
merge=${shellWord(input.mergeCommit ? requireObjectId(input.mergeCommit) : '')}
bundle=${shellWord(input.bundlePath)}
export GIT_AUTHOR_NAME=${shellWord(input.author.name)} GIT_AUTHOR_EMAIL=${shellWord(input.author.email)}
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
date=${shellWord(date)}
if [ -n "$date" ]; then export GIT_AUTHOR_DATE="$date" GIT_COMMITTER_DATE="$date"; fi
message=${shellWord(input.message)}
max=${input.maxFileBytes ?? 100 * 1024 * 1024}
${snapshotSteps}`;
}

/** Parses the output of {@link snapshotScript}; undefined if it is incomplete. */
export function parseSnapshot(stdout: string): Snapshot | undefined {
  const match =
    /(?:^|\n)commit ([0-9a-f]{40}|)\ntree ([0-9a-f]{40})\nchanged ([01])\nmerged ([01])\nskipped ([A-Za-z0-9+/=]*)\n$/.exec(
      stdout,
    );
  if (match === null) return undefined;
  const [, commit = '', tree = '', changed, merged, skipped = ''] = match;
  const names = Buffer.from(skipped, 'base64').toString('utf8').split('\0');
  return {
    commit,
    tree,
    changed: changed === '1',
    merged: merged === '1',
    skipped: names.filter((name) => name !== ''),
  };
}

/**
 * Returns a script that updates a fresh checkout of the base (see {@link cloneScript}) to a checkpoint, whose bundle is at
 * `bundlePath`; `''` if the base has it. The session's branch stays at the base, so the changes stay uncommitted.
 */
export function restoreScript(input: SandboxRepository & { bundlePath: string; commit: string }): string {
  return `${preamble(input)}
cd "$ws"
open_private
${input.bundlePath === '' ? '' : `private_git bundle unbundle ${shellWord(input.bundlePath)} >/dev/null`}
private_git read-tree -u --reset ${shellWord(requireObjectId(input.commit))}
`;
}
