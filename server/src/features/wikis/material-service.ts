import type { Context } from '../../app/context.ts';
import { listBlobs, sizesOf, type PlacedBlob } from '../../git/blobs.ts';
import { recentCommits } from '../../git/history.ts';
import { readBlobs } from '../../git/tree.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Part } from '../../wiki/material.ts';
import { factsIn, nextFiles, symbolsIn } from './material-store.ts';

const mostFiles = 100_000;
const mostSymbols = 300_000;
const mostFacts = 500_000;
const batch = 2_000;
const batchRows = 20_000;
const mostDocuments = 400;
const mostCandidates = 20_000;
const largestDocument = 256 * 1024;
const mostDocumentBytes = 8 * 1024 ** 2;
const mostCommits = 1_000;

/** Files beside the source code that say what a project is. */
const described =
  /(?:^|\/)(?:README(?:\.\w+)?|package\.json|go\.mod|Cargo\.toml|pyproject\.toml|LICEN[CS]E(?:\.\w+)?|COPYING|CODEOWNERS|(?:GNU)?Makefile|\.?justfile|Dockerfile[^/]*|(?:docker-)?compose\.ya?ml|\.env\.(?:example|sample|template)|\.gitlab-ci\.yml|[^/]+\.(?:sql|prisma|graphqls?|proto))$|^\.github\/workflows\/[^/]+\.ya?ml$|^\.(?:guildhall|devin)\/wiki\.json$/i;
const elsewhere = /(?:^|\/)(?:node_modules|vendor|third[_-]?party|bower_components|\.venv|venv)\//i;

/** Reads what a wiki is made from, in parts of bounded size: the index, some files of its commit, and the history. */
export async function* materialOf(
  ctx: Pick<Context, 'db'>,
  id: string,
  directory: string,
  commit: string,
): AsyncGenerator<Part> {
  yield* indexParts(ctx, id);
  yield* documentParts(directory, commit);
  try {
    for await (const commits of recentCommits(directory, commit, mostCommits)) yield { commits };
  } catch (error) {
    // A wiki without a history is better than none; a mirror may be shallow.
    if (!(error instanceof ProviderError)) throw error;
  }
}

async function* indexParts({ db: { kysely } }: Pick<Context, 'db'>, id: string): AsyncGenerator<Part> {
  const left = { files: mostFiles, symbols: mostSymbols, facts: mostFacts };
  for (let after = ''; left.files > 0;) {
    const files = await nextFiles(kysely, id, after, batch);
    const last = files.at(-1)?.path;
    if (last === undefined) return;
    const span = { after, last };
    const symbols = await symbolsIn(kysely, id, { ...span, limit: Math.min(batchRows, left.symbols) });
    const facts = await factsIn(kysely, id, { ...span, limit: Math.min(batchRows, left.facts) });
    yield { files, symbols, facts };
    left.files -= files.length;
    left.symbols -= symbols.length;
    left.facts -= facts.length;
    after = last;
  }
}

async function* documentParts(directory: string, commit: string): AsyncGenerator<Part> {
  const found: PlacedBlob[] = [];
  for await (const list of listBlobs(directory, commit))
    for (const file of list)
      if (found.length < mostCandidates && described.test(file.path.slice(-500)) && !elsewhere.test(file.path))
        found.push(file);
  // Those near the root describe more.
  const depth = ({ path }: PlacedBlob): number => path.split('/').length;
  const wanted = found.toSorted((a, b) => depth(a) - depth(b)).slice(0, mostDocuments);
  const sizes = await sizesOf(
    directory,
    wanted.map(({ id }) => id),
  );
  let bytes = 0;
  for (const [index, file] of wanted.entries()) {
    const size = sizes[index] ?? Infinity;
    if (size > largestDocument || bytes + size > mostDocumentBytes) continue;
    bytes += size;
    const [content] = await readBlobs(directory, [file], largestDocument);
    if (content === undefined || content.subarray(0, 8_000).includes(0)) continue;
    yield { documents: [{ path: file.path, blob: file.id, text: content.toString('utf8').replaceAll('\0', '') }] };
  }
}
