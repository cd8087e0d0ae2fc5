import { createReadStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ProviderError } from '../lib/errors.ts';
import { harmlessFaults, initBare, resolveRef } from './bare.ts';
import { readBundleHeader } from './bundle.ts';
import { requireBranchName, requireObjectId, requireRef, zeroId } from './names.ts';
import { git, gitFailure } from './native.ts';
import { createPackJudge, type PackJudge } from './pack/judge.ts';
import { judged } from './pack/stream.ts';
import { encodePkt, flushPkt } from './pkt-line.ts';
import { parseReceiveReport } from './receive-report.ts';
import { prepareRemote } from './remote.ts';
import type { GitRemote } from './remote.ts';

/** Returns the ref of a session's checkpoint. */
export function checkpointRef(number: number): string {
  return `refs/guildhall/checkpoints/${number}`;
}

/**
 * Makes (or opens) the bare repository of one session and one upstream repository. It borrows objects from the mirror
 * and holds only what the session made; without a mirror (an empty workspace) it stands alone.
 */
export async function openCheckpoints(path: string, options: { mirrorPath?: string }): Promise<void> {
  await initBare(path, { defaultBranch: 'main' });
  const alternates = join(path, 'objects/info/alternates');
  if (options.mirrorPath === undefined) await rm(alternates, { force: true });
  else await writeFile(alternates, `${join(options.mirrorPath, 'objects')}\n`);
}

export interface ReceiveBundleOptions {
  /** The ref that will name the bundle's commit, e.g. {@link checkpointRef}. */
  ref: string;
  /** There is no such ref yet, which then need not be asked. */
  isNew?: boolean;
  /** Default 1 GiB. */
  maxBytes?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Takes a bundle out of a sandbox into the repository. Nothing in it is trusted: git's receive-pack unpacks it in
 * quarantine, checks every object (fsck) and that nothing is missing, and only then sets the ref. The same bundle again
 * changes nothing. Answers the commit. ProviderError when it is no sound bundle of one commit.
 */
export async function receiveBundle(
  path: string,
  bundle: string | Uint8Array | Readable,
  options: ReceiveBundleOptions,
): Promise<string> {
  const ref = requireRef(options.ref);
  const source = typeof bundle === 'string' ? createReadStream(bundle) : bundle instanceof Readable ? bundle : [bundle];
  const { commit, pack } = await readBundleHeader(source);
  const old = options.isNew === true ? zeroId : ((await resolveRef(path, ref)) ?? zeroId);
  if (old === commit) {
    if (source instanceof Readable) source.destroy();
    return commit;
  }
  const capabilities = ['report-status'];
  const request = [encodePkt(`${old} ${commit} ${ref}\0${capabilities.join(' ')}`), flushPkt];
  const judge = createPackJudge();
  const { stdout, stderr } = await judgedBy(
    judge,
    git(['receive-pack', '--stateless-rpc', '.'], {
      cwd: path,
      input: Readable.from(concat(request, judged(pack, judge)), { objectMode: false }),
      config: [
        ['receive.fsckObjects', 'true'],
        ...harmlessFaults.map((fault): [string, string] => [`receive.fsck.${fault}`, 'ignore']),
        ['receive.maxInputSize', String(options.maxBytes ?? 1024 ** 3)],
        ['receive.autogc', 'false'],
      ],
      timeoutMs: options.timeoutMs ?? 120_000,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
  const report = parseReceiveReport(Buffer.from(stdout), { commands: [{ ref, old, new: commit }], capabilities });
  if (report?.unpack !== 'ok' || !report.ok.includes(ref)) {
    const reason = report?.refused[0]?.reason ?? report?.unpack ?? 'no answer';
    throw new BundleRefused(`${reason} ${stderr.trim().slice(0, 500)}`.trim());
  }
  return commit;
}

/** Git, or the check before it, refused a bundle; the reason is safe to show. */
export class BundleRefused extends ProviderError {
  readonly reason: string;

  constructor(reason: string) {
    super(`the bundle was refused: ${reason}`, { retryable: false });
    this.name = 'BundleRefused';
    this.reason = reason;
  }
}

/** Returns the result of git, or why it did not receive all of a pack. */
async function judgedBy<T>(judge: PackJudge, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (judge.refused === undefined) throw error;
    throw new BundleRefused(judge.refused.message);
  }
}

/**
 * Writes a bundle of `commit` without what `notReachableFrom` holds, so it applies wherever that commit exists. False
 * (and no file) when there would be nothing in it.
 */
export async function createBundle(
  path: string,
  options: { commit: string; notReachableFrom?: string; file: string; signal?: AbortSignal },
): Promise<boolean> {
  const commit = requireObjectId(options.commit);
  const base = options.notReachableFrom === undefined ? [] : [`^${requireObjectId(options.notReachableFrom)}`];
  const { stdout } = await git(['rev-list', '--max-count=1', commit, ...base], { gitDir: path });
  if (stdout.trim() === '') return false;
  // A bundle names refs, not bare commits.
  const ref = `refs/guildhall/bundles/${commit}`;
  const temporary = `${options.file}.part`;
  await git(['update-ref', ref, commit], { gitDir: path });
  try {
    await git(['bundle', 'create', '--quiet', temporary, ref, ...base], {
      gitDir: path,
      timeoutMs: 120_000,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    await rename(temporary, options.file);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Opens a session's repository on this machine and takes a checkpoint's bundle into it; answers the commit. */
export async function restoreFromBundle(
  path: string,
  options: ReceiveBundleOptions & { mirrorPath?: string; bundle: string | Uint8Array | Readable },
): Promise<string> {
  await openCheckpoints(path, options);
  return receiveBundle(path, options.bundle, options);
}

/** The remote branch has another commit than expected, or the remote does not take the push. */
export class PushRefused extends ProviderError {
  constructor(message: string) {
    super(message, { retryable: false });
    this.name = 'PushRefused';
  }
}

export interface PushOptions {
  gitDir: string;
  commit: string;
  remote: GitRemote;
  branch: string;
  /** The commit the remote branch must have now, `null` when it must not exist; absent: whatever it has is replaced. */
  expectedOld?: string | null;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Sets one remote branch to one commit, and pushes nothing else. A push that already happened succeeds again. Throws
 * {@link PushRefused} when the branch has another commit than expected or the remote refuses it; ProviderError otherwise.
 */
export async function push(options: PushOptions): Promise<void> {
  const ref = `refs/heads/${requireBranchName(options.branch)}`;
  const commit = requireObjectId(options.commit);
  const { url, config, secrets } = prepareRemote(options.remote);
  const lease =
    options.expectedOld === undefined
      ? '--force'
      : `--force-with-lease=${ref}:${options.expectedOld === null ? '' : requireObjectId(options.expectedOld)}`;
  const { exitCode, stdout, stderr } = await git(
    [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      '--recurse-submodules=no',
      lease,
      '--end-of-options',
      url,
      `${commit}:${ref}`,
    ],
    {
      gitDir: options.gitDir,
      config: [...config, ['push.default', 'nothing']],
      secrets,
      timeoutMs: options.timeoutMs ?? 120_000,
      okExitCodes: [0, 1, 128],
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
  );
  if (exitCode === 0) return;
  const refused = /^!\t\S+\t(.*)$/m.exec(stdout)?.[1];
  if (refused !== undefined && !/remote failure|remote failed/.test(refused)) {
    throw new PushRefused(`${options.branch} was not pushed: ${refused.slice(0, 300)}`);
  }
  throw gitFailure('push', exitCode, stderr);
}

async function* concat(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
