import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isLineTip } from '../../../git/line-tree.ts';
import { bundleLine, extendLine, sizeBeyond } from '../../../git/line.ts';
import { partsOf, sealedPart, type Part } from '../../../features/sessions/run/checkpoint-parts.ts';
import { newestCheckpoint } from '../../../features/sessions/run/checkpoint-service.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Checkout } from '../workspace/checkout-set.ts';
import type { ShownFiles } from './shown-files.ts';

/** The recorded checkpoints of a repository. */
export interface Chain {
  /** Id of the newest checkpoint; `''` before the first. */
  id: string;
  /** Prefix of the keys of its blobs. */
  blob: string;
  commit: string;
  /** The bundles of the checkpoints, oldest first. */
  parts: readonly Part[];
  /** False for a bundle of an earlier version, which builds on the base commit. */
  isLine: boolean;
  /** True if this attempt wrote it, so that its tip is on this host. */
  isHere: boolean;
}

/** Cost of a part in addition to its size: each is a blob to fetch. */
const partOverheadBytes = 4 * 1024;
/** Limits for the history of a chain: an absolute one, and one relative to the size of the work. */
const maxHistoryBytes = 128 * 1024 ** 2;
const maxHistoryFactor = 3;

/** Reads the recorded chain. */
export async function readChain({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, { repo }: Checkout): Promise<Chain> {
  const row = await newestCheckpoint(ctx, run, repo);
  if (row === undefined) return { id: '', blob: '', commit: '', parts: [], isLine: true, isHere: false };
  const { id, blob, commit } = row;
  return { id, blob, commit, parts: partsOf(row), isLine: row.parts !== null, isHere: false };
}

/**
 * Returns the number of parts that stay when about `newBytes` are added; the others are merged with the new bytes. Each part
 * that stays is larger than all later ones together, so there are few parts, and few bytes are written again.
 */
export function partsToKeep(parts: readonly Pick<Part, 'size_bytes'>[], newBytes: number): number {
  let behind = newBytes + partOverheadBytes;
  for (let kept = parts.length; ; kept -= 1) {
    const last = parts[kept - 1];
    if (last === undefined || last.size_bytes + partOverheadBytes > behind) return kept;
    behind += last.size_bytes + partOverheadBytes;
  }
}

/** Adds a checkpoint to a chain and stores the bundle. Returns the chain's new parts. */
export async function putPart(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'blobs' | 'resources'>,
  checkout: Checkout,
  chain: Chain,
  { commit, blob, newBytes, files }: { commit: string; blob: string; newBytes: number; files: ShownFiles },
): Promise<readonly Part[]> {
  const { checkpointsPath: path, baseCommit: base, index } = checkout;
  const { ctx, run, control } = attempt;
  const signal = control.lost;
  if (commit === base) return [];
  const parts = await usableParts(path, chain, { commit, base, newBytes, files, signal });
  if (parts.length > 0 && chain.commit === commit) return parts;
  const kept = parts.slice(0, partsToKeep(parts, newBytes));
  const last = parts.at(-1)?.commit;
  const shown = await files.of({ base, commit, signal });
  const tip = await extendLine(path, { commit, base, ...shown, signal, ...(last === undefined ? {} : { tip: last }) });
  const after = kept.at(-1)?.commit;
  const file = join(attempt.resources.directory, `part-${index}.bundle`);
  try {
    const size_bytes = await bundleLine(path, { tip, base, file, signal, ...(after === undefined ? {} : { after }) });
    await attempt.blobs.use((blobs) =>
      blobs.put(blob, sealedPart(ctx, run.orgId, blob, Readable.from(readLazily(file))), { signal }),
    );
    return [...kept, { blob, commit: tip, size_bytes }];
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Returns the chain's parts; none if the chain must start over because it is not on this host, holds too much history, or
 * shows what is a secret now.
 */
async function usableParts(
  path: string,
  { parts, isLine, isHere }: Chain,
  {
    commit,
    base,
    newBytes,
    files,
    signal,
  }: { commit: string; base: string; newBytes: number; files: ShownFiles; signal: AbortSignal },
): Promise<readonly Part[]> {
  const tip = parts.at(-1)?.commit;
  if (!isLine || tip === undefined || !(isHere || (await isLineTip(path, tip)))) return [];
  if (await files.hasSecret(tip, signal)) return [];
  const bytes = parts.reduce((sum, { size_bytes }) => sum + size_bytes, newBytes);
  if (bytes <= maxHistoryBytes) return parts;
  return bytes > maxHistoryFactor * (await sizeBeyond(path, commit, base, signal)) ? [] : parts;
}

/** Opens the file on the first read, so that a store that fails before leaves no open file. */
async function* readLazily(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file);
}
