import { sizesOf } from '../../../git/blobs.ts';
import { readBlobs } from '../../../git/tree.ts';
import { pace } from '../../../lib/pace.ts';
import { languageOf } from '../../../symbols/languages.ts';
import type { SymbolParser } from '../../../symbols/parser.ts';
import { largestFileBytes, skippedByContent, type SkipReason } from '../../../symbols/skipped.ts';
import type { ReadBlob } from './store.ts';

/** A blob and the path that gives its language. */
interface NamedBlob {
  readonly id: string;
  readonly path: string;
}

/** Limits for one update of an index. */
export interface Budget {
  symbols: number;
  /** Files that cannot be parsed, each of which may take 2 s. */
  failures: number;
}

const batchBlobs = 200;
const batchBytes = 4 * 1024 ** 2;
const batchSymbols = 5_000;

/** Reads blobs and finds their symbols, within a budget, beyond which they count as failed. */
export async function* readSymbols(
  directory: string,
  blobs: readonly NamedBlob[],
  parser: SymbolParser,
  budget: Budget,
): AsyncGenerator<ReadBlob[]> {
  for (const batch of await batchesOf(directory, blobs)) {
    const skipped = batch.filter(({ isTooLarge }) => isTooLarge).map(({ id }) => without(id, 'too_large'));
    const wanted = batch.filter(({ isTooLarge }) => !isTooLarge);
    const contents = await readBlobs(directory, wanted, batchBytes + largestFileBytes);
    let done: ReadBlob[] = skipped;
    for (const [index, blob] of wanted.entries()) {
      done.push(await readBlob(blob, contents[index] ?? Buffer.alloc(0), parser, budget));
      await pace();
      if (done.reduce((sum, { symbols }) => sum + symbols.length, 0) < batchSymbols) continue;
      yield done;
      done = [];
    }
    yield done;
  }
}

async function readBlob(
  { id, path }: NamedBlob,
  content: Buffer,
  parser: SymbolParser,
  budget: Budget,
): Promise<ReadBlob> {
  const language = languageOf(path);
  const reason = skippedByContent(content);
  if (reason !== undefined || language === undefined) return without(id, reason ?? 'failed');
  if (budget.symbols <= 0 || budget.failures <= 0) return without(id, 'failed');
  const file = await parser.parse(language, content.toString('utf8'));
  if (file === undefined) {
    budget.failures -= 1;
    return without(id, 'failed');
  }
  budget.symbols -= file.symbols.length;
  return { id, skipped: '', ...file };
}

function without(id: string, skipped: SkipReason): ReadBlob {
  return { id, skipped, lines: 0, symbols: [], facts: [] };
}

type SizedBlob = NamedBlob & { isTooLarge: boolean };

async function batchesOf(directory: string, blobs: readonly NamedBlob[]): Promise<SizedBlob[][]> {
  const sizes: number[] = [];
  for (let at = 0; at < blobs.length; at += 10_000)
    for (const size of await sizesOf(
      directory,
      blobs.slice(at, at + 10_000).map(({ id }) => id),
    ))
      sizes.push(size ?? Infinity);
  const batches: SizedBlob[][] = [];
  let last: SizedBlob[] = [];
  let bytes = 0;
  for (const [index, blob] of blobs.entries()) {
    if (last.length === 0 || last.length >= batchBlobs || bytes >= batchBytes) {
      last = [];
      bytes = 0;
      batches.push(last);
    }
    const size = sizes[index] ?? Infinity;
    const isTooLarge = size > largestFileBytes;
    last.push({ ...blob, isTooLarge });
    if (!isTooLarge) bytes += size;
  }
  return batches;
}
