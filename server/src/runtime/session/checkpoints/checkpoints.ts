import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitInfo } from '../../../git/bare.ts';
import { BundleRefused, checkpointRef, receiveBundle } from '../../../git/checkpoints.ts';
import { diffBetween } from '../../../git/diff.ts';
import { parseSnapshot, snapshotScript } from '../../../git/sandbox-scripts.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { CheckpointKeeper, type Taken } from './checkpoint-keeper.ts';
import type { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import type { SecretScanner } from '../secrets/secret-scanner.ts';
import type { AgentSnapshot } from './agent-snapshot.ts';
import { commitMessage } from './commit-message.ts';
import type { Restored } from './restore.ts';
import { pathsIn } from '../workspace/check-out.ts';
import { runScript, type SessionSandbox } from '../workspace/sandboxes.ts';
import { phaseNamed } from '../../../features/sessions/store/phases.ts';
import type { RepositoryChange } from './repository-change.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/** How long changes of the work tree may go without a checkpoint: at most this and what one takes. */
const tickMs = 5_000;
const maxBundleBytes = 1024 ** 3;

interface CheckpointsOptions {
  sessionSandbox: SessionSandbox;
  changes: readonly RepositoryChange[];
  /** What was restored of the agent. */
  memory: AgentSnapshot | undefined;
  calls: ToolCallAttribution;
  scanner: SecretScanner;
}

/**
 * Takes checkpoints of an attempt's workspace, one at a time. An agent waits only until its work is out of the sandbox;
 * diff, blobs and record follow while it works on.
 */
export class Checkpoints {
  readonly #attempt: Attempt;
  readonly #keeper: CheckpointKeeper;
  readonly #calls: ToolCallAttribution;
  readonly changes: readonly RepositoryChange[];
  #sessionSandbox: SessionSandbox;
  #memory: AgentSnapshot | undefined;
  /** The newest blob of this attempt, `''` while there is none. */
  #newest = '';
  #number = 0;
  #queue: Promise<void> = Promise.resolve();
  #recording: Promise<void> = Promise.resolve();
  /** What could not be recorded, and is superseded by nothing yet. */
  readonly #failed = new Map<RepositoryChange, Taken>();
  readonly #skipped = new Set<string>();

  constructor(attempt: Attempt, { sessionSandbox, changes, memory, calls, scanner }: CheckpointsOptions) {
    this.#attempt = attempt;
    this.#keeper = new CheckpointKeeper(attempt, scanner);
    this.#calls = calls;
    this.#sessionSandbox = sessionSandbox;
    this.changes = changes;
    this.#memory = memory;
  }

  /** What the agent remembered at the newest work that was taken, or what was restored with it; never ahead of the work. */
  get memory(): AgentSnapshot | undefined {
    return this.#memory;
  }

  /** The workspace is in another sandbox from now on. */
  moveTo(sessionSandbox: SessionSandbox): void {
    this.#sessionSandbox = sessionSandbox;
  }

  /**
   * Takes a checkpoint where the work tree changed since the last one; with what the agent remembers there is one in any
   * case. Resolves when the work is out of the sandbox; {@link settled} says when it is on record.
   */
  async take(memory?: AgentSnapshot): Promise<void> {
    const taken = this.#queue.then(() => this.#take(memory));
    this.#queue = taken.catch(() => undefined);
    await taken;
  }

  /** Resolves when everything taken so far is on record; what failed before is tried once more. */
  async settled(): Promise<void> {
    await this.#queue;
    await this.#recording;
    for (const taken of this.#failed.values()) await this.#record(taken);
  }

  /**
   * Takes checkpoints every few seconds while there may be something to take, until the answered function is called,
   * which waits for the last.
   */
  watch(isDue: () => boolean): () => Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const tick = async (): Promise<void> => {
      try {
        if (isDue()) await this.take();
      } catch (error) {
        // What is wrong shows where the work goes on: at the end of the step, or as a lost sandbox.
        this.#attempt.ctx.log.debug({ session: this.#attempt.run.id, reason: messageOf(error) }, 'no checkpoint');
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
    // At most one is out of the sandbox and not on record.
    await this.#recording;
    const explaining = this.#calls.take();
    const taken: Taken[] = [];
    // What changed although the agent only looks, by a program that it talked to, is no work of the session.
    const changes = this.#attempt.mode === 'build' ? this.changes : [];
    for (const change of changes) if (await this.#snapshot(change)) taken.push(this.#taken(change));
    const [first] = this.changes;
    if (taken.length === 0 && memory !== undefined && this.#newest === '' && first !== undefined) {
      taken.push(this.#taken(first));
    }
    const explain = explaining();
    for (const one of taken) one.explain = explain;
    this.#memory = memory ?? this.#memory;
    this.#recording = this.#recordAll(taken, memory);
  }

  #taken(change: RepositoryChange): Taken {
    const { commit, newBytes } = change;
    return { change, commit, newBytes, turn: this.#attempt.progress.turn, memory: this.#memory, explain: () => '' };
  }

  /** Brings what is new out of the sandbox; answers whether anything is. */
  async #snapshot(change: RepositoryChange): Promise<boolean> {
    const { checkout, parent } = change;
    const { sandbox } = this.#sessionSandbox;
    const bundlePath = `${sandbox.home}/.guildhall/checkpoint-${checkout.index}.bundle`;
    const script = snapshotScript({
      ...pathsIn(this.#sessionSandbox, checkout),
      baseCommit: checkout.baseCommit,
      parent: parent.commit,
      ...(change.tree === '' ? {} : { lastTree: change.tree }),
      ...(change.commit === checkout.baseCommit ? {} : { lastCommit: change.commit }),
      author: this.#attempt.settings.source_control.commit_author,
      message: commitMessage(this.#attempt.request),
      bundlePath,
    });
    // Also after the turn was stopped: what was done until then is kept.
    const signal = this.#attempt.control.lost;
    const printed = await runScript(this.#sessionSandbox, script, {
      problem: 'The work could not be saved',
      failure: { detail: 'agent_error', code: 'work_not_saved' },
      signal,
    });
    const snapshot = parseSnapshot(printed);
    if (snapshot === undefined) throw new ProviderError('git in the sandbox gave no known answer', { retryable: true });
    this.#warnOf(snapshot.skipped);
    if (!snapshot.changed) return false;
    this.#number += 1;
    const file = join(this.#attempt.resources.directory, `checkpoint-${this.#number}.bundle`);
    const sizeBytes = await sandbox.copyOut(bundlePath, file, { maxBytes: maxBundleBytes });
    const ref = checkpointRef(this.#number);
    let received: string;
    try {
      received = await receive(checkout.checkpointsPath, file, { ref, isNew: true, signal });
    } finally {
      await rm(file, { force: true });
    }
    const held = received === snapshot.commit ? [received] : await parentsOf(checkout.checkpointsPath, received);
    if (!held.includes(snapshot.commit))
      throw new ProviderError('the bundle holds another commit', { retryable: true });
    change.commit = snapshot.commit;
    change.tree = snapshot.tree;
    change.newBytes += sizeBytes;
    return true;
  }

  /** Never rejects. */
  async #recordAll(taken: readonly Taken[], memory: AgentSnapshot | undefined): Promise<void> {
    try {
      for (const one of taken) {
        this.#failed.delete(one.change);
        this.#failed.set(one.change, one);
      }
      const last = [...this.#failed.values()].at(-1);
      // It belongs to the newest work, on record or not yet; of several only the last may tell that all of it is there.
      if (memory !== undefined && last !== undefined) last.memory = memory;
      else if (memory !== undefined) await this.#keeper.putMemory(this.#newest, memory);
      for (const one of this.#failed.values()) await this.#record(one);
    } catch (error) {
      const { ctx, run } = this.#attempt;
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'a checkpoint could not be recorded');
    }
  }

  async #record(taken: Taken): Promise<void> {
    const { run } = this.#attempt;
    const { change, newBytes } = taken;
    this.#number += 1;
    const blob = `checkpoints/${run.orgId}/${run.id}/${run.fence}-${this.#number}-${change.checkout.index}`;
    await this.#keeper.keep(taken, blob);
    change.newBytes -= newBytes;
    this.#newest = blob;
    this.#failed.delete(change);
  }

  #warnOf(paths: readonly string[]): void {
    const fresh = paths.filter((path) => !this.#skipped.has(path));
    for (const path of fresh) this.#skipped.add(path);
    if (fresh.length === 0) return;
    const shown = fresh.slice(0, 20).join(', ');
    this.#attempt.events.warn(
      'files_skipped',
      `Git cannot take these files, so they are in no checkpoint and not delivered: ${shown}`,
    );
  }
}

/** A bundle that is refused comes again from the same work: another sandbox would not help. */
async function receive(...given: Parameters<typeof receiveBundle>): Promise<string> {
  try {
    return await receiveBundle(...given);
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    const message = `The work could not be saved: ${error.reason}. What came after the last checkpoint is lost; when the session is resumed, have such files left out or listed in .gitignore.`;
    throw new RunFailed('agent_error', message, { code: 'work_not_saved' });
  }
}

async function parentsOf(path: string, commit: string): Promise<readonly string[]> {
  return (await commitInfo(path, commit))?.parents ?? [];
}

/** What each repository's work is when an attempt begins: the base, or what was restored. */
export async function loadChanges(
  attempt: Pick<Attempt, 'progress'>,
  checkoutSet: CheckoutSet,
  restored: ReadonlyMap<number, Restored>,
): Promise<RepositoryChange[]> {
  // Also where all of it was delivered: how the work was checked is not on record before the turn has ended.
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
        told: commit,
        tree,
        // Without the commit that was delivered, as after a loss, the work begins at the base again.
        parent: parentTree === undefined ? { commit: baseCommit, tree: '' } : { commit: delivered, tree: parentTree },
        diff:
          commit === baseCommit
            ? { base_commit: baseCommit, head_commit: commit, additions: 0, deletions: 0, files: [] }
            : await diffBetween(checkpointsPath, baseCommit, commit),
        isHalfDelivered: wasDelivering && parentTree !== undefined && commit === delivered,
        newBytes: 0,
      };
    }),
  );
}
