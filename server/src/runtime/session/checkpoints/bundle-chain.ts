import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { resolveRef } from '../../../git/bare.ts';
import { bundleLine, extendLine, sizeBeyond } from '../../../git/line.ts';
import { partsOf, sealedPart, type Part } from '../../../features/sessions/run/checkpoint-parts.ts';
import { newestCheckpoint } from '../../../features/sessions/run/checkpoint-service.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

/** What is on record of a repository's checkpoints. */
export interface Chain {
  /** The newest one's id; `''` while there is none. */
  id: string;
  /** Begins the keys of what lies beside it. */
  blob: string;
  commit: string;
  /** The bundles that hold the line of checkpoints, oldest first. */
  parts: readonly Part[];
  /** False for a bundle of a version before this one, which leans on the base. */
  isLine: boolean;
}

/** So much longer a part counts than it is: each costs a blob to bring back. */
const partOverheadBytes = 4 * 1024;
/** How much of what later checkpoints changed again is kept, and more where the work itself is large. */
const maxHistoryBytes = 128 * 1024 ** 2;
const maxHistoryFactor = 3;

/** Reads what is on record. */
export async function readChain({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, { repo }: Checkout): Promise<Chain> {
  const row = await newestCheckpoint(ctx, run, repo);
  if (row === undefined) return { id: '', blob: '', commit: '', parts: [], isLine: true };
  const { id, blob, commit } = row;
  return { id, blob, commit, parts: partsOf(row), isLine: row.parts !== null };
}

/**
 * How many of the parts stay as they are when about so many bytes are added; the others become one with what is new. Each
 * that stays is larger than all behind it together, so there are few of them, and little is ever written again.
 */
export function partsToKeep(parts: readonly Pick<Part, 'size_bytes'>[], newBytes: number): number {
  let behind = newBytes + partOverheadBytes;
  for (let kept = parts.length; ; kept -= 1) {
    const last = parts[kept - 1];
    if (last === undefined || last.size_bytes + partOverheadBytes > behind) return kept;
    behind += last.size_bytes + partOverheadBytes;
  }
}

/** Bundles a checkpoint onto a chain, and puts the bundle into the blob store; answers what the chain is then made of. */
export async function putPart(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'blobs' | 'resources'>,
  checkout: Checkout,
  chain: Chain,
  { commit, blob, newBytes }: { commit: string; blob: string; newBytes: number },
): Promise<readonly Part[]> {
  const { checkpointsPath: path, baseCommit: base, index } = checkout;
  const { ctx, run, control } = attempt;
  const signal = control.lost;
  if (commit === base) return [];
  const parts = await usableParts(path, chain, { commit, base, newBytes, signal });
  if (parts.length > 0 && chain.commit === commit) return parts;
  const kept = parts.slice(0, partsToKeep(parts, newBytes));
  const last = parts.at(-1)?.commit;
  const tip = await extendLine(path, { commit, base, signal, ...(last === undefined ? {} : { tip: last }) });
  const after = kept.at(-1)?.commit;
  const file = join(attempt.resources.directory, `part-${index}.bundle`);
  try {
    const size_bytes = await bundleLine(path, { tip, base, file, signal, ...(after === undefined ? {} : { after }) });
    await attempt.blobs.use((blobs) =>
      blobs.put(blob, sealedPart(ctx, run.orgId, blob, Readable.from(bytesOf(file))), { signal }),
    );
    return [...kept, { blob, commit: tip, size_bytes }];
  } finally {
    await rm(file, { force: true });
  }
}

/** The chain's parts, or none where it begins anew: it was not brought back, or holds too much that is gone again. */
async function usableParts(
  path: string,
  { parts, isLine }: Chain,
  { commit, base, newBytes, signal }: { commit: string; base: string; newBytes: number; signal: AbortSignal },
): Promise<readonly Part[]> {
  const tip = parts.at(-1)?.commit;
  if (!isLine || tip === undefined || (await resolveRef(path, tip)) === undefined) return [];
  const bytes = parts.reduce((sum, { size_bytes }) => sum + size_bytes, newBytes);
  if (bytes <= maxHistoryBytes) return parts;
  return bytes > maxHistoryFactor * (await sizeBeyond(path, commit, base, signal)) ? [] : parts;
}

/** Opened when it is first read: a store that fails before leaves nothing open that the file's end would break. */
async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file);
}
