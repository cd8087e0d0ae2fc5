import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readBundleHeader } from './bundle.ts';
import { rawChanges } from './changed-files.ts';
import { everything, stateCommits, type Shown } from './line-tree.ts';
import { requireObjectId } from './names.ts';
import { git, gitFailure, spawnGit, type GitConfig, type GitProcess } from './native.ts';

/*
 * Checkpoints are siblings: each is one commit on top of the base, as it would be delivered. A chain links them: a chain's
 * commit has the previous one as its first parent and the checkpoint as its last, and its tree has only the files that differ
 * between checkpoint and base (line-tree.ts). So the tip of a chain reaches all its checkpoints, and each addition is a
 * bundle that depends only on earlier bundles: changed files can be read without the base.
 */

/** Disables fsync: only the stored bundle must survive a crash. */
const unsynced: GitConfig = [['core.fsync', 'none']];

/** Keeps the pack of a chain's first commit as it is, which saves a process. With a pack for each commit, git would get slow. */
const keptPack = ['fastimport.unpackLimit', '1'] as const;

interface NewState {
  commit: string;
  base: string;
  tip?: string;
  /** Default: everything. */
  shown?: Shown;
  /** The {@link rawChanges} between base and commit, if they are known already. */
  changes?: Buffer;
  signal?: AbortSignal;
}

/** Adds a checkpoint to a chain, or starts one without `tip`. Returns the new tip. A `base` of '' is the empty tree. */
export async function extendLine(
  path: string,
  { commit, base, tip, shown = everything, changes, signal }: NewState,
): Promise<string> {
  const aborted = signal === undefined ? {} : { signal };
  const records = changes ?? (await rawChanges(path, base, commit, aborted));
  const commands = stateCommits({ records, shown, commit: requireObjectId(commit), tip: tip ?? '' });
  const { stdout } = await git(['fast-import', '--quiet', '--done', '--force', '--date-format=now'], {
    gitDir: path,
    config: tip === undefined ? [...unsynced, keptPack] : unsynced,
    timeoutMs: 300_000,
    input: Readable.from(commands, { objectMode: false }),
    ...aborted,
  });
  return requireObjectId(stdout.trim());
}

export interface LineBundle {
  /** The chain's new tip. */
  tip: string;
  /** An earlier commit of the chain, a prerequisite of the bundle. */
  after?: string;
  /** The base commit of the checkpoints; '' without one. */
  base: string;
  file: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Writes a bundle of a part of a chain and returns its size. Throws a ProviderError if git fails. */
export async function bundleLine(path: string, bundle: LineBundle): Promise<number> {
  const { timeoutMs = 300_000, signal, file } = bundle;
  const tip = requireObjectId(bundle.tip);
  const after = bundle.after === undefined ? [] : [requireObjectId(bundle.after)];
  const without = [...(bundle.base === '' ? [] : [requireObjectId(bundle.base)]), ...after];
  const options = { gitDir: path, timeoutMs, ...(signal === undefined ? {} : { signal }) };
  const commits = ['rev-list', '--objects', tip, ...without.map((id) => `^${id}`)];
  // Also objects of the base: what the files were, and copies of them.
  const files = ['rev-list', '--objects', '--first-parent', tip, ...after.map((id) => `^${id}`)];
  const pack = spawnGit(['pack-objects', '-q', '--stdout', '--delta-base-offset'], options);
  const header = ['# v2 git bundle', ...without.map((id) => `-${id}`), `${tip} refs/guildhall/line`, '\n'].join('\n');
  const edge = after.map((id) => `-${id}\n`).join('');
  const temporary = `${file}.part`;
  try {
    await together([
      endOf(pack, 'pack-objects'),
      pipeline(
        Readable.from(joined(edge, outputOf(commits, options), outputOf(files, options)), { objectMode: false }),
        pack.stdin,
      ),
      pipeline(Readable.from(joined(header, pack.stdout), { objectMode: false }), createWriteStream(temporary)),
    ]);
    await rename(temporary, file);
    return (await stat(file)).size;
  } finally {
    await rm(temporary, { force: true });
    signal?.throwIfAborted();
  }
}

/**
 * Unpacks a chain's bundle into a repository with the earlier bundles; nothing else is needed to read the changed files.
 * Unlike a restore it checks nothing, because the bundle was checked before it was stored.
 */
export async function unpackLine(path: string, file: string): Promise<void> {
  const { pack } = await readBundleHeader(createReadStream(file));
  await git(['index-pack', '--stdin', '--fix-thin'], {
    gitDir: path,
    input: Readable.from(pack, { objectMode: false }),
    config: unsynced,
    timeoutMs: 120_000,
  });
}

/** Returns the size on disk of a commit without the objects of the base, in bytes. */
export async function sizeBeyond(path: string, commit: string, base: string, signal?: AbortSignal): Promise<number> {
  const not = base === '' ? [] : [`^${requireObjectId(base)}`];
  const { stdout } = await git(['rev-list', '--objects', '--disk-usage', requireObjectId(commit), ...not], {
    gitDir: path,
    ...(signal === undefined ? {} : { signal }),
  });
  return Number(stdout);
}

/** Waits for all promises to settle, then throws the first failure in order. */
async function together(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}

/** Streams a git command's output. Starts it on the first read, because unread output is lost at the end of the process. */
async function* outputOf(args: readonly string[], options: Parameters<typeof spawnGit>[1]): AsyncGenerator<Buffer> {
  const child = spawnGit(args, options);
  child.stdin.end();
  const ended = endOf(child, args[0] ?? '');
  ended.catch(() => undefined);
  try {
    yield* child.stdout;
  } finally {
    child.stdout.destroy();
    await ended;
  }
}

async function endOf(child: GitProcess, name: string): Promise<void> {
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const { exitCode, problem } = await child.ended;
  if (exitCode !== 0) throw gitFailure(name, exitCode ?? -1, Buffer.concat(errors).toString('utf8') || problem);
}

async function* joined(first: string, ...rest: readonly AsyncIterable<Buffer>[]): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  for (const one of rest) yield* one;
}
