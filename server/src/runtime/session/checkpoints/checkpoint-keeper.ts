import { besideIt } from '../../../features/sessions/run/checkpoint-parts.ts';
import { sweepCheckpoints } from '../../../features/sessions/run/checkpoint-sweep-service.ts';
import { recordCheckpoint } from '../../../features/sessions/run/checkpoint-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import { requireCheckpoints } from '../workspace/sync-mirrors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Attribution } from '../log/tool-call-attribution.ts';
import { putPart, readChain, type Chain } from './bundle-chain.ts';
import { fileChangeEvents } from './file-changes.ts';
import { putDiff, putSealed } from './checkpoint-blobs.ts';
import { ShownFiles } from './shown-files.ts';
import type { RepositoryChange } from './repository-change.ts';
import type { SecretScanner } from '../secrets/secret-scanner.ts';
import type { AgentSnapshot } from './agent-snapshot.ts';

type KeepingAttempt = Pick<
  Attempt,
  'ctx' | 'run' | 'control' | 'events' | 'secrets' | 'blobs' | 'progress' | 'resources'
>;

/** A snapshot that was copied out of the sandbox and is not recorded yet. */
export interface Snapshot {
  change: RepositoryChange;
  commit: string;
  /** Bytes copied out of the sandbox since the last recorded checkpoint. */
  newBytes: number;
  turn: number;
  memory: AgentSnapshot | undefined;
  /** Attribution of its changes to tool calls. */
  attribution: Attribution;
}

/**
 * Stores checkpoints for other workers. Superseded blobs are removed only after the new checkpoint is recorded, so that the
 * newest recorded one always has all its blobs.
 */
export class CheckpointKeeper {
  readonly #attempt: KeepingAttempt;
  readonly #scanner: SecretScanner;
  readonly #files = new Map<RepositoryChange, ShownFiles>();
  readonly #chains = new Map<RepositoryChange, Chain>();
  /** Keys that no checkpoint needs. */
  readonly #superseded = new Set<string>();
  #swept = false;

  constructor(attempt: KeepingAttempt, scanner: SecretScanner) {
    this.#attempt = attempt;
    this.#scanner = scanner;
  }

  /** Stores the blobs of a checkpoint, with keys that begin with `blob`, and records it. Throws `LeaseLost`. */
  async store({ change, commit, newBytes, turn, memory, attribution }: Snapshot, blob: string): Promise<void> {
    const attempt = this.#attempt;
    const { ctx, run } = attempt;
    const { checkout } = change;
    await requireCheckpoints(checkout);
    const { baseCommit, repo } = checkout;
    const chain = this.#chains.get(change) ?? (await readChain(attempt, checkout));
    const files = this.#files.get(change) ?? new ShownFiles(attempt.secrets, checkout.checkpointsPath);
    this.#files.set(change, files);
    // After a failure the recorded chain is read again.
    this.#chains.delete(change);
    const stored = putDiff(attempt, this.#scanner, { blob, checkout, commit });
    const known = async () => (change.logged === baseCommit ? (await stored).files : undefined);
    const [{ diff, binaries }, changes, parts] = await Promise.all([
      stored,
      fileChangeEvents(attempt, checkout, { from: change.logged, to: commit, known, attribution }),
      putPart(attempt, checkout, chain, { commit, blob, newBytes, files }),
      memory === undefined ? undefined : this.storeMemory(blob, memory),
    ]);
    await attempt.events.flush();
    const sizeBytes = parts.find((part) => part.blob === blob)?.size_bytes ?? 0;
    const supersedes = chain.id;
    const kept = { repo, commit, baseCommit, turn, blob, parts, binaries, sizeBytes, supersedes, changes };
    const id = await recordCheckpoint(ctx, run, kept);
    attempt.progress.workRecorded();
    change.diff = diff;
    change.read = files.latest;
    change.logged = commit;
    this.#chains.set(change, { id, blob, commit, parts, isLine: true, isHere: true });
    const needed = new Set(parts.map((part) => part.blob));
    const old = chain.id === '' ? [] : [...besideIt(chain.blob), ...chain.parts.map((part) => part.blob)];
    for (const key of old) if (!needed.has(key)) this.#superseded.add(key);
    await this.#removeSuperseded();
  }

  async storeMemory(blob: string, memory: AgentSnapshot): Promise<void> {
    await putSealed(this.#attempt, `${blob}.state`, Buffer.from(JSON.stringify(memory)));
  }

  /** Never rejects: the next checkpoint or a maintenance task retries a failure. */
  async #removeSuperseded(): Promise<void> {
    const { ctx, run } = this.#attempt;
    if (!this.#swept) {
      // The first checkpoint of this attempt supersedes all blobs of earlier attempts.
      this.#swept = true;
      if (run.fence > 1) await this.#sweep();
    }
    await Promise.all(
      [...this.#superseded].map(async (key) => {
        try {
          await ctx.blobs.delete(key);
          this.#superseded.delete(key);
        } catch (error) {
          ctx.log.warn({ session: run.id, blob: key, reason: messageOf(error) }, 'failed to remove a superseded blob');
        }
      }),
    );
  }

  async #sweep(): Promise<void> {
    const { ctx, run } = this.#attempt;
    await sweepCheckpoints(ctx, run).catch((error: unknown) => {
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to remove checkpoints of earlier attempts');
    });
  }
}
