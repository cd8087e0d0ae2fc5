import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitInfo } from '../../../git/bare.ts';
import { BundleRefused, checkpointRef, receiveBundle } from '../../../git/checkpoints.ts';
import { diffBetween } from '../../../git/diff.ts';
import { parseSnapshot, snapshotScript } from '../../../git/sandbox-scripts.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { CheckpointKeeper, type Snapshot } from './checkpoint-keeper.ts';
import type { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import type { SecretScanner } from '../secrets/secret-scanner.ts';
import type { AgentSnapshot } from './agent-snapshot.ts';
import { commitMessage } from './commit-message.ts';
import type { Restored } from './restore.ts';
import { sandboxPaths } from '../workspace/check-out.ts';
import { runScript, type SessionSandbox } from '../workspace/sandboxes.ts';
import { requireCheckpoints } from '../workspace/sync-mirrors.ts';
import { phaseNamed } from '../../../features/sessions/store/phases.ts';
import type { RepositoryChange } from './repository-change.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/** Interval of checkpoints while the work tree changes. */
const tickMs = 5_000;
const maxBundleBytes = 1024 ** 3;

interface CheckpointsOptions {
  sessionSandbox: SessionSandbox;
  changes: readonly RepositoryChange[];
  /** The agent's restored state. */
  memory: AgentSnapshot | undefined;
  calls: ToolCallAttribution;
  scanner: SecretScanner;
}

/**
 * Takes checkpoints of an attempt's workspace, one at a time. An agent waits only until its work is copied out of the
 * sandbox; diff, blobs and record follow while it continues.
 */
export class Checkpoints {
  readonly #attempt: Attempt;
  readonly #keeper: CheckpointKeeper;
  readonly #calls: ToolCallAttribution;
  readonly changes: readonly RepositoryChange[];
  #sessionSandbox: SessionSandbox;
  #memory: AgentSnapshot | undefined;
  /** Key prefix of this attempt's newest checkpoint; `''` before the first. */
  #newest = '';
  #number = 0;
  #queue: Promise<void> = Promise.resolve();
  #recording: Promise<void> = Promise.resolve();
  /** Snapshots that could not be recorded, and that no later one supersedes. */
  readonly #failed = new Map<RepositoryChange, Snapshot>();
  readonly #skipped = new Set<string>();

  constructor(attempt: Attempt, { sessionSandbox, changes, memory, calls, scanner }: CheckpointsOptions) {
    this.#attempt = attempt;
    this.#keeper = new CheckpointKeeper(attempt, scanner);
    this.#calls = calls;
    this.#sessionSandbox = sessionSandbox;
    this.changes = changes;
    this.#memory = memory;
  }

  /** The agent's state at the newest snapshot, or the restored one; never newer than the work tree. */
  get memory(): AgentSnapshot | undefined {
    return this.#memory;
  }

  /** Continues with another sandbox of the workspace. */
  moveTo(sessionSandbox: SessionSandbox): void {
    this.#sessionSandbox = sessionSandbox;
  }

  /**
   * Takes a checkpoint of each work tree that changed since the last one; with `memory` at least one. Resolves when the work
   * is copied out of the sandbox; {@link settled} resolves when it is recorded.
   */
  async take(memory?: AgentSnapshot): Promise<void> {
    const taking = this.#queue.then(() => this.#take(memory));
    this.#queue = taking.catch(() => undefined);
    await taking;
  }

  /** Resolves when every snapshot is recorded. Retries failed ones once. */
  async settled(): Promise<void> {
    await this.#queue;
    await this.#recording;
    for (const taken of this.#failed.values()) await this.#record(taken);
  }

  /**
   * Takes checkpoints every few seconds while `isDue`, until the returned function is called,
   * which waits for the last.
   */
  watch(isDue: () => boolean): () => Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const tick = async (): Promise<void> => {
      try {
        if (isDue()) await this.take();
      } catch (error) {
        // The cause shows later: at the end of the step, or as a lost sandbox.
        this.#attempt.ctx.log.debug(
          { session: this.#attempt.run.id, reason: messageOf(error) },
          'failed to take a checkpoint',
        );
      }
      if (!ended) schedule();
    };
    const schedule = (): void => {
      timer = setTimeout(() => void tick(), tickMs);
    };
    schedule();
    return async () => {
      ended = true;
      clearTimeout(timer);
      await this.#queue;
    };
  }

  async #take(memory: AgentSnapshot | undefined): Promise<void> {
    // At most one snapshot is copied out and not recorded.
    await this.#recording;
    const endAttribution = this.#calls.take();
    const taken: Snapshot[] = [];
    // In a read-only mode, a program in the sandbox may still change files; that is not work of the session.
    const changes = this.#attempt.mode === 'build' ? this.changes : [];
    for (const change of changes) if (await this.#snapshot(change)) taken.push(this.#snapshotOf(change));
    const [first] = this.changes;
    if (taken.length === 0 && memory !== undefined && this.#newest === '' && first !== undefined) {
      taken.push(this.#snapshotOf(first));
    }
    const attribution = endAttribution();
    for (const one of taken) one.attribution = attribution;
    this.#memory = memory ?? this.#memory;
    this.#recording = this.#recordAll(taken, memory);
  }

  #snapshotOf(change: RepositoryChange): Snapshot {
    const { commit, newBytes } = change;
    return { change, commit, newBytes, turn: this.#attempt.progress.turn, memory: this.#memory, attribution: () => '' };
  }

  /** Copies new work out of the sandbox. Returns false if there is none. */
  async #snapshot(change: RepositoryChange): Promise<boolean> {
    const { checkout, parent } = change;
    const { sandbox, isStarted } = this.#sessionSandbox;
    if (!isStarted()) return false;
    const bundlePath = `${sandbox.home}/.guildhall/checkpoint-${checkout.index}.bundle`;
    const mergeCommit = this.#attempt.progress.repositories[checkout.index]?.start?.merge ?? '';
    const script = snapshotScript({
      ...sandboxPaths(this.#sessionSandbox, checkout),
      baseCommit: checkout.baseCommit,
      parent: parent.commit,
      ...(change.tree === '' ? {} : { lastTree: change.tree }),
      ...(change.commit === checkout.baseCommit ? {} : { lastCommit: change.commit }),
      baseTree: (await checkout.project()).tree,
      mergeCommit,
      author: this.#attempt.settings.source_control.commit_author,
      message: commitMessage(this.#attempt.request),
      bundlePath,
    });
    // Not the turn's signal: a stopped turn keeps its work.
    const signal = this.#attempt.control.lost;
    const printed = await runScript(this.#sessionSandbox, script, {
      problem: 'Failed to save the work',
      failure: { detail: 'agent_error', code: 'work_not_saved' },
      signal,
    });
    const snapshot = parseSnapshot(printed);
    if (snapshot === undefined)
      throw new ProviderError('git in the sandbox printed unexpected output', { retryable: true });
    this.#warnSkipped(snapshot.skipped);
    change.leftOut = snapshot.skipped;
    if (!snapshot.changed) return false;
    this.#number += 1;
    const file = join(this.#attempt.resources.directory, `checkpoint-${this.#number}.bundle`);
    const sizeBytes = await sandbox.copyOut(bundlePath, file, { maxBytes: maxBundleBytes });
    const ref = checkpointRef(this.#number);
    try {
      await requireCheckpoints(checkout);
      const known = [checkout.baseCommit, snapshot.merged ? mergeCommit : ''];
      await receive(checkout.checkpointsPath, file, { ref, commit: snapshot.commit, isNew: true, known, signal });
    } finally {
      await rm(file, { force: true });
    }
    change.commit = snapshot.commit;
    change.tree = snapshot.tree;
    change.newBytes += sizeBytes;
    return true;
  }

  /** Never rejects. */
  async #recordAll(taken: readonly Snapshot[], memory: AgentSnapshot | undefined): Promise<void> {
    try {
      for (const one of taken) {
        this.#failed.delete(one.change);
        this.#failed.set(one.change, one);
      }
      const last = [...this.#failed.values()].at(-1);
      // The state belongs to the newest work; among several snapshots only the last one implies that all are recorded.
      if (memory !== undefined && last !== undefined) last.memory = memory;
      else if (memory !== undefined) await this.#keeper.storeMemory(this.#newest, memory);
      for (const one of this.#failed.values()) await this.#record(one);
    } catch (error) {
      const { ctx, run } = this.#attempt;
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to record a checkpoint');
    }
  }

  async #record(taken: Snapshot): Promise<void> {
    const { run } = this.#attempt;
    const { change, newBytes } = taken;
    this.#number += 1;
    const blob = `checkpoints/${run.orgId}/${run.id}/${run.fence}-${this.#number}-${change.checkout.index}`;
    await this.#keeper.store(taken, blob);
    change.newBytes -= newBytes;
    this.#newest = blob;
    this.#failed.delete(change);
  }

  #warnSkipped(paths: readonly string[]): void {
    const fresh = paths.filter((path) => !this.#skipped.has(path));
    for (const path of fresh) this.#skipped.add(path);
    if (fresh.length === 0) return;
    const shown = fresh.slice(0, 20).join(', ');
    this.#attempt.events.warn(
      'files_skipped',
      `Checkpoints and deliveries omit files that are larger than 100 MiB, have a name that git refuses, or cannot be read: ${shown}`,
    );
  }
}

/** Fails the session if the bundle is refused: another sandbox would produce the same one. */
async function receive(...given: Parameters<typeof receiveBundle>): Promise<void> {
  try {
    await receiveBundle(...given);
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    const message = `Failed to save the work: ${error.reason}. Work after the last checkpoint is lost. Resume the session, and have it remove such files or list them in .gitignore.`;
    throw new RunFailed('agent_error', message, { code: 'work_not_saved' });
  }
}

/** The state of each repository's work at the start of an attempt: the base commit, or the restored checkpoint. */
export async function initialChanges(
  attempt: Pick<Attempt, 'progress'>,
  checkoutSet: CheckoutSet,
  restored: ReadonlyMap<number, Restored>,
): Promise<RepositoryChange[]> {
  // A passed delivery counts too, until the turn has ended: only then is the verification recorded.
  const deliver = phaseNamed(attempt.progress.phases, 'deliver')?.status;
  const wasDelivering = deliver === 'running' || (deliver === 'passed' && !attempt.progress.turnEnded);
  return Promise.all(
    checkoutSet.checkouts.map(async (checkout) => {
      const { baseCommit, checkpointsPath, index } = checkout;
      const commit = restored.get(index)?.commit ?? baseCommit;
      const delivered = attempt.progress.repositories[index]?.delivered_commit ?? '';
      const treeOf = async (id: string): Promise<string | undefined> =>
        id === baseCommit || id === '' ? undefined : (await commitInfo(checkpointsPath, id))?.tree;
      const [tree = '', parentTree] = await Promise.all([treeOf(commit), treeOf(delivered)]);
      return {
        checkout,
        commit,
        logged: commit,
        tree,
        // Without the delivered commit on this host, the next commit follows the base.
        parent: parentTree === undefined ? { commit: baseCommit, tree: '' } : { commit: delivered, tree: parentTree },
        diff:
          commit === baseCommit
            ? { base_commit: baseCommit, head_commit: commit, additions: 0, deletions: 0, files: [] }
            : await diffBetween(checkpointsPath, baseCommit, commit),
        isHalfDelivered: wasDelivering && parentTree !== undefined && commit === delivered,
        leftOut: [],
        newBytes: 0,
      };
    }),
  );
}
