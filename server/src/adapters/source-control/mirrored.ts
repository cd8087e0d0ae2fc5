import { resolveRef } from '../../git/bare.ts';
import { isBranchName, isObjectId } from '../../git/names.ts';
import { git } from '../../git/native.ts';
import { prepareRemote, type GitRemote } from '../../git/remote.ts';
import { createSharedRuns } from '../../git/shared-run.ts';
import { ProviderError } from '../../lib/errors.ts';
import { createDiffCache } from './diff-cache.ts';
import type { HostMirrors, MirrorPlace } from './host-mirrors.ts';
import type { CloneAccess, RepositoryRef, SourceControl } from './port.ts';
import { openReader } from './reader.ts';
import { readsThrough, type GitReads, type Wanted } from './reads.ts';

/** The URL of a repository for git, and the header for the next call. */
export type RepositoryAccess = Pick<CloneAccess, 'remoteUrl' | 'authorization'>;

export type MirroredReads = GitReads & Pick<SourceControl, 'branchHead'>;

/** An unknown name is looked up at the host, unless the mirror is newer than this. */
const unknownNameMs = 2_000;
/** The maximum duration of a push in milliseconds; its hooks run at the host meanwhile. */
const pushMs = 120_000;

/**
 * The members of the port that read git, for a host that is read over HTTP: from a mirror on this machine. Commits that the
 * mirror has need no fetch, branches may be 15 s old, and `branchHead` and `wouldMerge` are exact. Throws ProviderError.
 */
export function readsFromMirror(
  mirrors: HostMirrors,
  access: (repository: RepositoryRef) => RepositoryAccess | Promise<RepositoryAccess>,
): MirroredReads {
  const diffs = createDiffCache();
  const heads = createSharedRuns<string | undefined>();

  const remoteOf = async (repository: RepositoryRef) => openRemote(mirrors, await access(repository));

  const reads = readsThrough(async (repository, wanted, read) => {
    const place = mirrors.hold(repository);
    try {
      await bringUpToDate(mirrors, place, () => remoteOf(repository), wanted);
      const directory = await mirrors.newest(place);
      if (directory === undefined)
        throw new ProviderError('The mirror of the repository is gone.', { retryable: true });
      return await read(openReader(directory, diffs, place.path));
    } finally {
      place.release();
    }
  });

  return {
    ...reads,
    async branchHead(repository, branch) {
      if (!isBranchName(branch)) return undefined;
      const key = [repository.orgId, repository.id, branch].join('\0');
      return heads.run(key, undefined, async () => readHead(await remoteOf(repository), branch, mirrors.waitMs));
    },
  };
}

/** Returns a repository's checked address with its present header. */
async function openRemote(
  mirrors: Pick<HostMirrors, 'remote'>,
  { remoteUrl, authorization }: RepositoryAccess,
): Promise<GitRemote> {
  const [remote, header] = await Promise.all([mirrors.remote(remoteUrl), authorization()]);
  return header === undefined ? remote : { ...remote, headers: { authorization: header } };
}

/**
 * Deletes a branch by a push, for a host whose API cannot. It need not exist. Throws ProviderError, also for the default branch,
 * which git does not delete.
 */
export async function deleteBranchByPush(
  mirrors: HostMirrors,
  access: RepositoryAccess,
  { reads, repository, branch }: { reads: MirroredReads; repository: RepositoryRef; branch: string },
): Promise<void> {
  const head = await reads.branchHead(repository, branch);
  if (head === undefined) return;
  await reads.withGitDirectory(repository, head, async (gitDir) => {
    const { url, config, secrets } = prepareRemote(await openRemote(mirrors, access));
    const args = ['push', '--quiet', url, `:refs/heads/${branch}`];
    await git(args, { gitDir, config, secrets, timeoutMs: pushMs, maxBuffer: 1024 ** 2 });
  });
}

async function bringUpToDate(
  mirrors: HostMirrors,
  place: MirrorPlace,
  remote: () => Promise<GitRemote>,
  { refs, isExact = false }: Wanted,
): Promise<void> {
  const directory = await mirrors.newest(place);
  if (isExact || directory === undefined) return mirrors.sync(place, remote, refs.filter(isObjectId));
  const found = await Promise.all(refs.map((ref) => resolveRef(directory, ref)));
  const missing = refs.filter((_, index) => found[index] === undefined);
  const commits = missing.filter(isObjectId);
  if (missing.length === 0 && refs.length > 0 && refs.every(isObjectId)) return;
  const isUnknown = missing.length > commits.length;
  const maxAgeMs = isUnknown ? Math.min(unknownNameMs, mirrors.freshMs) : mirrors.freshMs;
  if (commits.length > 0 || mirrors.ageMs(place) >= maxAgeMs) await mirrors.sync(place, remote, commits);
}

/** Asks the host for a branch's tip. */
async function readHead(remote: GitRemote, branch: string, timeoutMs: number): Promise<string | undefined> {
  const { url, config, secrets } = prepareRemote(remote);
  const ref = `refs/heads/${branch}`;
  const args = ['ls-remote', '--refs', '--end-of-options', url, ref];
  const { stdout } = await git(args, { config, secrets, timeoutMs, maxBuffer: 1024 ** 2 });
  const line = stdout.split('\n').find((one) => one.endsWith(`\t${ref}`));
  const head = line?.slice(0, line.indexOf('\t')) ?? '';
  return isObjectId(head) ? head : undefined;
}
