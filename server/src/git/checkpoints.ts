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
 * Creates (or opens) the bare repository of a session's commits for one upstream repository. It borrows objects from the
 * mirror, if there is one (not for an empty workspace).
 */
export async function openCheckpoints(path: string, options: { mirrorPath?: string }): Promise<void> {
  await initBare(path, { defaultBranch: 'main' });
  const alternates = join(path, 'objects/info/alternates');
  if (options.mirrorPath === undefined) await rm(alternates, { force: true });
  else await writeFile(alternates, `${join(options.mirrorPath, 'objects')}\n`);
}

export interface ReceiveBundleOptions {
  /** The ref to set to the bundle's commit, e.g. {@link checkpointRef}. */
  ref: string;
  /** Another commit to set the ref to, which the bundle's commit follows. */
  commit?: string;
  /** True if the ref is known not to exist, which saves a lookup. */
  isNew?: boolean;
  /** Commits of the mirror, complete there, that the bundle's commit follows; looking no further saves time. */
  known?: readonly string[];
  /** Default 1 GiB. */
  maxBytes?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Receives a bundle from a sandbox into the repository. The bundle is untrusted: git's receive-pack unpacks it in quarantine,
 * checks every object (fsck) and completeness, and only then sets the ref. Idempotent. Returns the commit. Throws
 * ProviderError for an invalid bundle, one with several commits, or one without `commit`.
 */
export async function receiveBundle(
  path: string,
  bundle: string | Uint8Array | Readable,
  options: ReceiveBundleOptions,
): Promise<string> {
  const ref = requireRef(options.ref);
  const source = typeof bundle === 'string' ? createReadStream(bundle) : bundle instanceof Readable ? bundle : [bundle];
  const { commit: newest, pack } = await readBundleHeader(source);
  const commit = options.commit === undefined ? newest : requireObjectId(options.commit);
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
        // Otherwise git lists all refs of the mirror, with a process for each repository that it borrows from.
        ...(options.known === undefined ? [] : [knownTo(options.known)]),
      ],
      timeoutMs: options.timeoutMs ?? 120_000,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
  const report = parseReceiveReport(Buffer.from(stdout), { commands: [{ ref, old, new: commit }], capabilities });
  if (report?.unpack !== 'ok' || !report.ok.includes(ref)) {
    const reason = report?.refused[0]?.reason ?? report?.unpack ?? 'no response';
    throw new BundleRefused(`${reason} ${stderr.trim().slice(0, 500)}`.trim());
  }
  return commit;
}

/** A command in place of git's own, which prints these; what git appends is a comment. */
function knownTo(commits: readonly string[]): [string, string] {
  const lines = commits.filter((commit) => commit !== '').map((commit) => `echo ${requireObjectId(commit)}`);
  return ['core.alternateRefsCommand', [...lines, '#'].join('; ')];
}

/** Refusal of a bundle by git or by the check before it. The reason may be shown to users. */
export class BundleRefused extends ProviderError {
  readonly reason: string;

  constructor(reason: string) {
    super(`the bundle was refused: ${reason}`, { retryable: false });
    this.name = 'BundleRefused';
    this.reason = reason;
  }
}

/** Returns git's result, or throws the judge's reason why the pack was cut. */
async function judgedBy<T>(judge: PackJudge, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (judge.refused === undefined) throw error;
    throw new BundleRefused(judge.refused.message);
  }
}

/**
 * Writes a bundle of `commit` without the objects of `notReachableFrom`, so that it applies wherever that commit exists. Returns
 * false, without a file, if it would be empty.
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

/** Opens a session's repository on this machine and receives a checkpoint's bundle. Returns the commit. */
export async function restoreFromBundle(
  path: string,
  options: ReceiveBundleOptions & { mirrorPath?: string; bundle: string | Uint8Array | Readable },
): Promise<string> {
  await openCheckpoints(path, options);
  return receiveBundle(path, options.bundle, options);
}

/** Thrown if the remote branch has another commit than expected, or the remote refuses the push. */
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
  /** Expected current commit of the remote branch; `null` if it must not exist; absent to replace any commit. */
  expectedOld?: string | null;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Pushes one commit to one remote branch. Idempotent. Throws {@link PushRefused} if the branch has another commit than
 * expected or the remote refuses the push; ProviderError for other failures.
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
    throw new PushRefused(`The push of ${options.branch} was refused: ${refused.slice(0, 300)}`);
  }
  throw gitFailure('push', exitCode, stderr);
}

async function* concat(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
