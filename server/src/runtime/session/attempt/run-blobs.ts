import { randomUUID } from 'node:crypto';
import { recordArtifact, type ClaimedRun, type RunContext } from '../../../features/sessions/run/run-service.ts';
import type { WorkerContext } from '../../context.ts';
import type { EventWriter } from '../log/event-writer.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { RunControl } from './control.ts';
import { RetryPolicy } from './retry-policy.ts';

type Blobs = WorkerContext['blobs'];

/** The parts of an attempt that its blob store needs. */
interface RunBlobsOwner {
  readonly ctx: RunContext & Pick<WorkerContext, 'blobs'>;
  readonly run: ClaimedRun;
  readonly control: Pick<RunControl, 'lost' | 'stopped'>;
  readonly events: Pick<EventWriter, 'flush' | 'warn'>;
  readonly secrets: Pick<RunSecrets, 'mask'>;
}

/** The blob store of an attempt; it waits out an outage. */
export class RunBlobs {
  readonly #owner: RunBlobsOwner;
  readonly #retries: RetryPolicy;

  constructor(owner: RunBlobsOwner) {
    this.#owner = owner;
    this.#retries = new RetryPolicy(
      (problem) =>
        owner.events.warn(
          'storage_unavailable',
          `${problem.replace(/[^.]$/, '$&.')} Checkpoints and artifacts wait until the blob store is back.`,
        ),
      () => owner.control.stopped !== undefined,
    );
  }

  /** Runs an action on the blob store, and retries it during an outage. */
  async use<T>(action: (blobs: Blobs) => Promise<T>): Promise<T> {
    const { ctx, control } = this.#owner;
    return this.#retries.with(() => action(ctx.blobs), control.lost);
  }

  /**
   * Stores masked bytes as an artifact and returns its id. `content` is called again for each retry.
   */
  async keepArtifact(
    artifactName: string,
    content: () => Parameters<Blobs['put']>[1],
    contentType = 'text/plain; charset=utf-8',
  ): Promise<string> {
    const { ctx, run, control, events, secrets } = this.#owner;
    const blob = `artifacts/${run.orgId}/${run.id}/${randomUUID()}`;
    const { sizeBytes, sha256 } = await this.use((blobs) => blobs.put(blob, content(), { signal: control.lost }));
    await events.flush();
    const name = secrets.mask.text(artifactName);
    return recordArtifact(ctx, run, { name, contentType, sizeBytes, sha256, blob });
  }
}
