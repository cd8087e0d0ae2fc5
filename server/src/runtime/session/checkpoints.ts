import { Readable } from 'node:stream';
import { commitInfo } from '../../adapters/git/bare.ts';
import { checkpointRef, receiveBundle } from '../../adapters/git/checkpoints.ts';
import { diffBetween, patchBetween, type Diff } from '../../adapters/git/diff.ts';
import { emptyTree } from '../../adapters/git/names.ts';
import { parseSnapshot, snapshotScript } from '../../adapters/git/sandbox-scripts.ts';
import { recordCheckpoint } from '../../features/sessions/run-service.ts';
import { ProviderError } from '../../lib/errors.ts';
import { author, type Attempt } from './attempt.ts';
import type { AgentMemory } from './memory.ts';
import { commitMessage } from './report.ts';
import { bundleOf, type Restored } from './restore.ts';
import { pathsIn, runScript, type Room } from './sandboxes.ts';
import type { Checkout, Workplace } from './workplace.ts';

/** How long changes of the work tree may go without a checkpoint: at most this and what one takes. */
const tickMs = 5_000;
const maxBundleBytes = 1024 ** 3;

/** The newest state of one repository's work tree. */
export interface Work {
  readonly checkout: Checkout;
  /** Its commit: the base, one that an earlier attempt or turn made, or a new one. */
  commit: string;
  tree: string;
  /** The tree it began this turn with: the base's, or of what was delivered last. */
  parent: { commit: string; tree: string };
  diff: Diff;
  /** Where this attempt put it; `''` while it did not. */
  blob: string;
}

/** Takes checkpoints of an attempt's workspace, one at a time. */
export class Checkpoints {
  readonly #attempt: Attempt;
  readonly works: readonly Work[];
  #room: Room;
  #memory: AgentMemory | undefined;
  #newest = '';
  #number = 0;
  #queue: Promise<void> = Promise.resolve();
  readonly #skipped = new Set<string>();

  constructor(attempt: Attempt, room: Room, works: readonly Work[]) {
    this.#attempt = attempt;
    this.#room = room;
    this.works = works;
  }

  /** The workspace is in another sandbox from now on. */
  moveTo(room: Room): void {
    this.#room = room;
  }

  /** Whether the work differs from what it began with. */
  get changed(): Work[] {
    return this.works.filter(({ tree, parent }) => tree !== parent.tree);
  }

  /**
   * Takes a checkpoint where the work tree changed since the last one; with what the agent remembers there is one in any
   * case. Resolves when it is on record.
   */
  async take(memory?: AgentMemory): Promise<void> {
    const taken = this.#queue.then(() => this.#take(memory));
    this.#queue = taken.catch(() => undefined);
    await taken;
  }

  /** Takes checkpoints every few seconds until the answered function is called, which waits for the last. */
  watch(): () => Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const schedule = (): void => {
      timer = setTimeout(() => {
        void this.take()
          // What is wrong shows where the work goes on: at the end of the step, or as a lost sandbox.
          .catch((error: unknown) =>
            this.#attempt.ctx.log.debug({ session: this.#attempt.run.id, error }, 'no checkpoint'),
          )
          .finally(() => {
            if (!ended) schedule();
          });
      }, tickMs);
    };
    schedule();
    return async () => {
      ended = true;
      clearTimeout(timer);
      await this.#queue;
    };
  }

  async #take(memory: AgentMemory | undefined): Promise<void> {
    this.#memory = memory ?? this.#memory;
    let recorded = false;
    for (const work of this.works) recorded = (await this.#snapshot(work)) || recorded;
    if (memory === undefined || recorded) return;
    const [first] = this.works;
    if (this.#newest !== '') await this.#putMemory(this.#newest);
    else if (first !== undefined) {
      await this.#record(first, await bundleOf(this.#attempt, first.checkout, first.commit));
    }
  }

  /** Whether there was something new. */
  async #snapshot(work: Work): Promise<boolean> {
    const { checkout, parent } = work;
    const { sandbox } = this.#room;
    const bundlePath = `${sandbox.home}/.guildhall/checkpoint-${checkout.index}.bundle`;
    const script = snapshotScript({
      ...pathsIn(this.#room, checkout),
      mirrorPath: checkout.mirrorPath,
      baseCommit: checkout.baseCommit,
      parent: parent.commit,
      lastTree: work.tree,
      author,
      message: commitMessage(this.#attempt.session),
      bundlePath,
    });
    // Also after the turn was stopped: what was done until then is kept.
    const signal = this.#attempt.control.lost;
    const snapshot = parseSnapshot(
      await runScript(this.#room, script, { problem: 'The work could not be saved', signal }),
    );
    if (snapshot === undefined)
      throw new ProviderError('git in the sandbox answered in no known way', { retryable: true });
    this.#warnOf(snapshot.skipped);
    if (!snapshot.changed) return false;
    const bundle = await sandbox.readFile(bundlePath, { maxBytes: maxBundleBytes });
    this.#number += 1;
    const ref = checkpointRef(this.#number);
    const commit = await receiveBundle(checkout.checkpointsPath, bundle, { ref, signal });
    if (commit !== snapshot.commit)
      throw new ProviderError('the bundle holds another commit than the snapshot', { retryable: true });
    work.commit = commit;
    work.tree = snapshot.tree;
    await this.#record(work, bundle);
    return true;
  }

  async #record(work: Work, bundle: Buffer): Promise<void> {
    const { ctx, run, control, turn } = this.#attempt;
    const { checkpointsPath: path, baseCommit, index, repo } = work.checkout;
    const { commit } = work;
    this.#number += 1;
    const blob = `checkpoints/${run.orgId}/${run.id}/${run.fence}-${this.#number}-${index}`;
    const signal = control.lost;
    const diff = diffBetween(path, baseCommit, commit, { signal });
    await Promise.all([
      ctx.blobs.put(blob, bundle, { signal }),
      diff.then((value) => ctx.blobs.put(`${blob}.diff`, Buffer.from(JSON.stringify(value)), { signal })),
      ctx.blobs.put(`${blob}.patch`, Readable.from(patchBetween(path, baseCommit, commit, { signal })), { signal }),
      this.#putMemory(blob),
    ]);
    work.diff = await diff;
    await this.#attempt.events.flush();
    await recordCheckpoint(ctx, run, { repo, commit, baseCommit, turn, blob, sizeBytes: bundle.length });
    work.blob = blob;
    this.#newest = blob;
  }

  async #putMemory(blob: string): Promise<void> {
    if (this.#memory === undefined) return;
    const { ctx, control } = this.#attempt;
    await ctx.blobs.put(`${blob}.state`, Buffer.from(JSON.stringify(this.#memory)), { signal: control.lost });
  }

  #warnOf(paths: readonly string[]): void {
    const fresh = paths.filter((path) => !this.#skipped.has(path));
    for (const path of fresh) this.#skipped.add(path);
    if (fresh.length === 0) return;
    const shown = fresh.slice(0, 20).join(', ');
    this.#attempt.warn(
      'files_skipped',
      `Git cannot take these files, so they are in no checkpoint and not delivered: ${shown}`,
    );
  }
}

/** What each repository's work is when an attempt begins: the base, or what was restored. */
export async function worksOf(
  attempt: Attempt,
  workplace: Workplace,
  restored: ReadonlyMap<number, Restored>,
): Promise<Work[]> {
  return Promise.all(
    workplace.checkouts.map(async (checkout) => {
      const { baseCommit, checkpointsPath, index } = checkout;
      const commit = restored.get(index)?.commit ?? baseCommit;
      const delivered = attempt.repositories[index]?.delivered_commit ?? '';
      const [tree, parentTree, baseTree] = await Promise.all(
        [commit, delivered, baseCommit].map((id) => treeOf(checkpointsPath, id)),
      );
      // Without the commit that was delivered, as after a loss, the work begins at the base again.
      const parent =
        delivered !== '' && parentTree !== undefined
          ? { commit: delivered, tree: parentTree }
          : { commit: baseCommit, tree: baseTree ?? emptyTree };
      const diff =
        commit === baseCommit
          ? { base_commit: baseCommit, head_commit: commit, additions: 0, deletions: 0, files: [] }
          : await diffBetween(checkpointsPath, baseCommit, commit);
      return { checkout, commit, tree: tree ?? emptyTree, parent, diff, blob: '' };
    }),
  );
}

async function treeOf(path: string, commit: string): Promise<string | undefined> {
  return commit === '' ? undefined : (await commitInfo(path, commit))?.tree;
}
