import { Readable } from 'node:stream';
import { diffAndPatch, type Diff } from '../../../git/diff.ts';
import { filesOf, type FileChange } from '../../../git/file-changes.ts';
import { purposeOf } from '../../../features/sessions/run/checkpoint-parts.ts';
import { diffJson } from '../../../features/repositories/diff-json.ts';
import { open, seal, SealBroken, sealedOverheadBytes } from '../../../features/secrets/envelope.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Mask } from '../../../lib/mask/mask.ts';
import { pace } from '../../../lib/pace.ts';
import type { SecretScanner } from '../secrets/secret-scanner.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

type SealingAttempt = Pick<Attempt, 'ctx' | 'run' | 'blobs' | 'control'>;

/** Stores an agent's state, unmasked. It is sealed because it may hold secrets. */
export async function putSealed(attempt: SealingAttempt, blob: string, bytes: Buffer): Promise<void> {
  const { ctx, run, control } = attempt;
  const sealed = await seal(ctx, run.orgId, purposeOf(blob), bytes);
  await attempt.blobs.use((blobs) => blobs.put(blob, sealed, { signal: control.lost }));
}

/** Reads a sealed blob; undefined if it is missing. Throws a ProviderError if it was changed in the store. */
export async function getSealed(
  attempt: Omit<SealingAttempt, 'control'>,
  blob: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const { ctx, run } = attempt;
  const limit = { maxBytes: maxBytes + sealedOverheadBytes };
  const kept = await attempt.blobs.use((blobs) => blobs.getBuffer(blob, limit));
  if (kept === undefined) return undefined;
  try {
    return await open(ctx, run.orgId, purposeOf(blob), kept);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    const message = `The agent's state (${blob}) was changed in the blob store by somebody else, so it cannot be used.`;
    throw new ProviderError(message, { retryable: false, cause });
  }
}

/**
 * Stores the masked diff and patch, which one run of git produces. Both omit the content of binary files; `binaries` is
 * true if there are some that may be shown from the bundles. `files` are not masked; see `filesOf`.
 */
export async function putDiff(
  { secrets, control, blobs: store }: Pick<Attempt, 'secrets' | 'control' | 'blobs'>,
  scanner: SecretScanner,
  { blob, checkout, commit }: { blob: string; checkout: Checkout; commit: string },
): Promise<{ diff: Diff; files: FileChange[] | undefined; binaries: boolean }> {
  const { checkpointsPath: path, baseCommit: base } = checkout;
  const signal = control.lost;
  const { diff, files } = await store.use(async (blobs) => {
    const { diff: read, patch } = diffAndPatch(path, base, commit, { signal, binary: false });
    const put = async () => {
      const plain = await read;
      const made = await maskedDiff(plain, secrets.mask);
      await blobs.put(`${blob}.diff`, diffJson(made), { signal });
      return { diff: made, files: filesOf(plain) };
    };
    const written = put();
    // If storing the patch fails, this promise rejects too; the patch's error is the one to report.
    written.catch(() => undefined);
    await blobs.put(`${blob}.patch`, Readable.from(masked(patch, secrets.mask), { objectMode: false }), { signal });
    return written;
  });
  const binaries = diff.files.some((file) => file.binary);
  // Compressed content cannot be masked.
  const mayShow = binaries && !(secrets.hasSecrets && (await scanner.containsSecret(path, base, commit, signal)));
  return { diff, files, binaries: mayShow };
}

/** Masks file by file, because together they may be long. */
async function maskedDiff(diff: Diff, mask: Mask): Promise<Diff> {
  const files: Diff['files'] = [];
  for (const file of diff.files) {
    await pace();
    const [path, oldPath] = [mask.text(file.path), mask.text(file.old_path)];
    files.push({ ...file, path, old_path: oldPath, patch: await mask.longText(file.patch) });
  }
  return { ...diff, files };
}

async function* masked(patch: AsyncIterable<Uint8Array>, mask: Mask): AsyncGenerator<Uint8Array> {
  const filter = mask.stream();
  for await (const chunk of patch) {
    const shown = filter.push(Buffer.from(chunk));
    if (shown.length > 0) yield shown;
  }
  yield filter.end();
}
