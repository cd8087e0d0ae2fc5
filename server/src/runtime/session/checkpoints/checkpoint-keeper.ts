import { besideIt } from '../../../features/sessions/run/checkpoint-parts.ts';
import { sweepCheckpoints } from '../../../features/sessions/run/checkpoint-sweep-service.ts';
import { recordCheckpoint } from '../../../features/sessions/run/checkpoint-service.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Explain } from '../log/tool-call-attribution.ts';
import { putPart, readChain, type Chain } from './bundle-chain.ts';
import { fileChangeEvents } from './file-changes.ts';
import { putDiff, putSealed } from './checkpoint-blobs.ts';
import type { RepositoryChange } from './repository-change.ts';
import type { SecretScanner } from '../secrets/secret-scanner.ts';
import type { AgentSnapshot } from './agent-snapshot.ts';

type KeepingAttempt = Pick<
  Attempt,
  'ctx' | 'run' | 'control' | 'events' | 'secrets' | 'blobs' | 'progress' | 'resources'
>;

/** A snapshot that is out of the sandbox and not yet on record. */
export interface Taken {
  change: RepositoryChange;
  commit: string;
  /** What was brought out of the sandbox since the last one that is on record. */
  newBytes: number;
  turn: number;
  memory: AgentSnapshot | undefined;
  /** Which tool calls are behind its changes. */
  explain: Explain;
}

/**
 * Keeps checkpoints where another worker finds them. What a checkpoint supersedes is removed when it is on record, and not
 * before: whoever goes on finds every blob of the newest one.
 */
export class CheckpointKeeper {
  readonly #attempt: KeepingAttempt;
  readonly #scanner: SecretScanner;
  readonly #chains = new Map<RepositoryChange, Chain>();
  /** Keys that no checkpoint needs any more. */
  readonly #superseded = new Set<string>();
  #swept = false;

  constructor(attempt: KeepingAttempt, scanner: SecretScanner) {
    this.#attempt = attempt;
    this.#scanner = scanner;
  }

  /** Puts the blobs of a checkpoint, below keys that begin with `blob`, and records it. Throws `LeaseLost`. */
  async keep({ change, commit, newBytes, turn, memory, explain }: Taken, blob: string): Promise<void> {
    const attempt = this.#attempt;
    const { ctx, run } = attempt;
    const { checkout } = change;
    const { baseCommit, repo } = checkout;
    const chain = this.#chains.get(change) ?? (await readChain(attempt, checkout));
    // Until it is known to be on record, it has to be looked up what is.
    this.#chains.delete(change);
    const [{ diff, binaries }, changes, parts] = await Promise.all([
      putDiff(attempt, this.#scanner, { blob, checkout, commit }),
      fileChangeEvents(attempt, checkout, { from: change.told, to: commit, explain }),
      putPart(attempt, checkout, chain, { commit, blob, newBytes }),
      memory === undefined ? undefined : this.putMemory(blob, memory),
    ]);
    await attempt.events.flush();
    const sizeBytes = parts.find((part) => part.blob === blob)?.size_bytes ?? 0;
    const supersedes = chain.id;
    const kept = { repo, commit, baseCommit, turn, blob, parts, binaries, sizeBytes, supersedes, changes };
    const id = await recordCheckpoint(ctx, run, kept);
    attempt.progress.workRecorded();
    change.diff = diff;
    change.told = commit;
    this.#chains.set(change, { id, blob, commit, parts, isLine: true });
    const needed = new Set(parts.map((part) => part.blob));
    const old = chain.id === '' ? [] : [...besideIt(chain.blob), ...chain.parts.map((part) => part.blob)];
    for (const key of old) if (!needed.has(key)) this.#superseded.add(key);
    await this.#removeSuperseded();
  }

  async putMemory(blob: string, memory: AgentSnapshot): Promise<void> {
    await putSealed(this.#attempt, `${blob}.state`, Buffer.from(JSON.stringify(memory)));
  }

  /** Never rejects: what stays is tried again, with the next checkpoint or by the upkeep. */
  async #removeSuperseded(): Promise<void> {
    const { ctx, run } = this.#attempt;
    if (!this.#swept) {
      // Once there is a checkpoint of its own, nothing but that is needed of what earlier runs left.
      this.#swept = true;
      if (run.fence > 1) await this.#sweep();
    }
    await Promise.all(
      [...this.#superseded].map(async (key) => {
        try {
          await ctx.blobs.delete(key);
          this.#superseded.delete(key);
        } catch (error) {
          ctx.log.warn({ session: run.id, key, reason: messageOf(error) }, 'a superseded blob stayed behind');
        }
      }),
    );
  }

  async #sweep(): Promise<void> {
    const { ctx, run } = this.#attempt;
    await sweepCheckpoints(ctx, `${run.orgId}/${run.id}/`).catch((error: unknown) => {
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'what earlier runs left was not removed');
    });
  }
}
