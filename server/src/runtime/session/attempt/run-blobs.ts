import { randomUUID } from 'node:crypto';
import { recordArtifact, type ClaimedRun, type RunContext } from '../../../features/sessions/run/run-service.ts';
import type { WorkerContext } from '../../context.ts';
import type { EventWriter } from '../log/event-writer.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { RunControl } from './control.ts';
import { RetryPolicy } from './retry-policy.ts';

type Blobs = WorkerContext['blobs'];

/** The attempt that a store belongs to. */
interface RunBlobsOwner {
  readonly ctx: RunContext & Pick<WorkerContext, 'blobs'>;
  readonly run: ClaimedRun;
  readonly control: Pick<RunControl, 'lost' | 'stopped'>;
  readonly events: Pick<EventWriter, 'flush' | 'warn'>;
  readonly secrets: Pick<RunSecrets, 'mask'>;
}

/** The blob store as an attempt uses it: an outage is waited out. */
export class RunBlobs {
  readonly #owner: RunBlobsOwner;
  readonly #retries: RetryPolicy;

  constructor(owner: RunBlobsOwner) {
    this.#owner = owner;
    this.#retries = new RetryPolicy(
      (problem) =>
        owner.events.warn('storage_unavailable', `${problem} What there is to keep waits, and is tried again.`),
      () => owner.control.stopped !== undefined,
    );
  }

  /** Does something with the blob store, and again while that cannot be reached. */
  async use<T>(action: (blobs: Blobs) => Promise<T>): Promise<T> {
    const { ctx, control } = this.#owner;
    return this.#retries.with(() => action(ctx.blobs), control.lost);
  }

  /**
   * Keeps bytes as an artifact; answers its id. `content` is masked already, and asked for again when the store could not
   * take it.
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
