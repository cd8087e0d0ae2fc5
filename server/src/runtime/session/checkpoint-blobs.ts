import { Readable } from 'node:stream';
import { diffAndPatch, type Diff } from '../../adapters/git/diff.ts';
import { open, seal, sealedOverheadBytes } from '../../features/secrets/envelope.ts';
import type { Attempt } from './attempt.ts';
import type { Checkout } from './workplace.ts';

/** Keeps what holds a work tree, or what an agent knows, as it is: sealed, because secrets may be in it. */
export async function putSealed(attempt: Attempt, blob: string, bytes: Buffer): Promise<void> {
  const { ctx, run, control } = attempt;
  const sealed = await seal(ctx, run.orgId, purposeOf(blob), bytes);
  await attempt.withBlobs((blobs) => blobs.put(blob, sealed, { signal: control.lost }));
}

/** Brings it back; undefined when it is not there. */
export async function getSealed(attempt: Attempt, blob: string, maxBytes: number): Promise<Buffer | undefined> {
  const { ctx, run } = attempt;
  const limit = { maxBytes: maxBytes + sealedOverheadBytes };
  const kept = await attempt.withBlobs((blobs) => blobs.getBuffer(blob, limit));
  // What versions before wrote is not sealed: a bundle or JSON, whose first bytes no sealed one has.
  if (kept === undefined || kept.length === 0 || /^[#{]/.test(kept.toString('latin1', 0, 1))) return kept;
  return open(ctx, run.orgId, purposeOf(blob), kept);
}

function purposeOf(blob: string): string {
  return `checkpoint ${blob}`;
}

/** Keeps the diff and the patch that people see, masked. They are read together, from one run of git. */
export async function putDiff(attempt: Attempt, blob: string, checkout: Checkout, commit: string): Promise<Diff> {
  const { secrets, control, guard } = attempt;
  const { checkpointsPath: path, baseCommit: base } = checkout;
  const signal = control.lost;
  // Packed bytes cannot be masked.
  const binary = !secrets.areGiven || !(await guard.isIn(path, base, commit, signal));
  return attempt.withBlobs(async (blobs) => {
    const { diff, patch } = diffAndPatch(path, base, commit, { signal, binary });
    const put = async (): Promise<Diff> => {
      const made = secrets.masked(await diff);
      await blobs.put(`${blob}.diff`, Buffer.from(JSON.stringify(made)), { signal });
      return made;
    };
    const written = put();
    // A patch that could not be stored is why there is no diff.
    written.catch(() => undefined);
    await blobs.put(`${blob}.patch`, Readable.from(masked(patch, attempt), { objectMode: false }), { signal });
    return written;
  });
}

async function* masked(patch: AsyncIterable<Uint8Array>, { secrets }: Attempt): AsyncGenerator<Uint8Array> {
  const filter = secrets.mask.stream();
  for await (const chunk of patch) {
    const shown = filter.push(Buffer.from(chunk));
    if (shown.length > 0) yield shown;
  }
  yield filter.end();
}
