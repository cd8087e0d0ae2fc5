import { rawChanges, readBlobs, readChangedFiles } from '../../../git/changed-files.ts';
import { shownIn, type Shown } from '../../../git/line-tree.ts';
import { git, GitError } from '../../../git/native.ts';
import { pace } from '../../../lib/pace.ts';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { ReadChanges } from './repository-change.ts';

/** Larger files are shown like binary ones. */
const maxFileBytes = 4 * 1024 ** 2;
/** Limit for what changed files were before, for example those of a deleted directory; the others are shown as binary. */
const maxBeforeBytes = 64 * 1024 ** 2;

/** More than this of lists and of contents is not kept, but read again. */
const maxKeptBytes = 1024 ** 2;
const maxSmallBytes = 64 * 1024;
/** Counted for each content, because very many may have a few bytes each. */
const overheadBytes = 256;

interface Content {
  /** Id of the masked content; the own one if there is nothing to mask. */
  id: string;
  sizeBytes: number;
}

interface Change {
  base: string;
  commit: string;
  signal: AbortSignal;
}

/** The changed files of a repository as they may be shown: masked, and without what is large. */
export class ShownFiles {
  readonly #secrets: Pick<RunSecrets, 'mask' | 'secretCount'>;
  readonly #path: string;
  #mask: Mask | undefined;
  #contents = new Map<string, Content>();
  /** Number of secrets that the chain was searched for. */
  #searched = 0;
  #small = new Map<string, Buffer>();
  #smallBytes = 0;
  /** The newest changes, unless there are very many. */
  latest: ReadChanges | undefined;

  /** `path` has the session's commits. */
  constructor(secrets: Pick<RunSecrets, 'mask' | 'secretCount'>, path: string) {
    this.#secrets = secrets;
    this.#path = path;
  }

  /** Also returns what changed, see `rawChanges`. */
  async of({ base, commit, signal }: Change): Promise<{ shown: Shown; changes: Buffer }> {
    const mask = this.#secrets.mask;
    if (mask !== this.#mask) this.#contents = new Map();
    this.#mask = mask;
    const changes = await rawChanges(this.#path, base, commit, { signal });
    this.latest = changes.length > maxKeptBytes ? undefined : { commit, records: changes, contents: this.#small };
    const files = await readChangedFiles(changes);
    const ids = new Set(files.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => id !== ''));
    await this.#read([...ids], mask, signal);
    const contents = this.#contents;
    const left = await this.#leftOut(files, signal);
    const shown: Shown = {
      path: (bytes) => {
        const name = bytes.toString();
        const masked = mask.text(name);
        return masked === name ? bytes : Buffer.from(masked);
      },
      now: (id) => contents.get(id)?.id ?? id,
      before: (id) => left.get(id) ?? contents.get(id)?.id ?? id,
    };
    return { shown, changes };
  }

  /** True if a chain shows the value of a secret that came later. True, too, if it is too large to be searched. */
  async hasSecret(tip: string, signal: AbortSignal): Promise<boolean> {
    const { mask, secretCount } = this.#secrets;
    if (secretCount === this.#searched) return false;
    const shown = await shownIn(this.#path, tip, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof GitError) return undefined;
      throw error;
    });
    if (shown === undefined || (await mask.longText(shown.paths)) !== shown.paths) return true;
    if (await hasValue(this.#path, shown.ids, mask, signal)) return true;
    this.#searched = secretCount;
    return false;
  }

  async #read(ids: readonly string[], mask: Mask, signal: AbortSignal): Promise<void> {
    const unseen = ids.filter((id) => !this.#contents.has(id));
    for await (const { id, sizeBytes, content } of readBlobs(this.#path, unseen, { signal })) {
      const isLarge = sizeBytes > maxFileBytes;
      const masked = isLarge
        ? await skipped(content, id)
        : await maskedContent(this.#kept(id, sizeBytes, content), mask);
      const own = masked === undefined ? id : await write(this.#path, masked, signal);
      this.#contents.set(id, { id: own, sizeBytes });
    }
  }

  /** Keeps a small content as it passes. */
  async *#kept(id: string, sizeBytes: number, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const cost = sizeBytes + overheadBytes;
    const hasRoom = sizeBytes <= maxSmallBytes && this.#smallBytes + cost <= maxKeptBytes;
    if (!hasRoom || this.#small.has(id)) {
      yield* content;
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of content) {
      chunks.push(chunk);
      yield chunk;
    }
    this.#small.set(id, Buffer.concat(chunks));
    this.#smallBytes += cost;
  }

  /** Returns the substitutes for what does not fit into the limits. */
  async #leftOut(files: readonly { oldId: string }[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const left = new Set<string>();
    let bytes = 0;
    for (const id of new Set(files.map(({ oldId }) => oldId))) {
      const size = this.#contents.get(id)?.sizeBytes ?? 0;
      if (size > maxFileBytes || bytes + size > maxBeforeBytes) left.add(id);
      else bytes += size;
    }
    if (left.size === 0) return new Map();
    const substitute = await write(this.#path, Buffer.from('\0before\n'), signal);
    return new Map([...left].map((id) => [id, substitute]));
  }
}

/** Reads a content that is too large, and returns a short one in its place, which git takes for binary. */
async function skipped(content: AsyncIterable<Buffer>, id: string): Promise<Buffer> {
  for await (const chunk of content) void chunk;
  return Buffer.from(`\0${id}\n`);
}

/** Returns the content without the values; undefined if there are none. */
async function maskedContent(content: AsyncIterable<Buffer>, mask: Mask): Promise<Buffer | undefined> {
  const filter = mask.stream();
  const out: Buffer[] = [];
  for await (const piece of pieces(content)) out.push(filter.push(piece));
  out.push(filter.end());
  return filter.found === undefined ? undefined : Buffer.concat(out);
}

/** True if one of the contents has a value. */
async function hasValue(path: string, ids: readonly string[], mask: Mask, signal: AbortSignal): Promise<boolean> {
  for await (const { content } of readBlobs(path, ids, { signal })) {
    const filter: MaskStream = mask.stream();
    for await (const piece of pieces(content)) filter.push(piece);
    filter.end();
    if (filter.found !== undefined) return true;
  }
  return false;
}

const pieceBytes = 32 * 1024;

async function* pieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of content)
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      await pace();
      yield chunk.subarray(from, from + pieceBytes);
    }
}

async function write(path: string, content: Buffer, signal: AbortSignal): Promise<string> {
  const { stdout } = await git(['hash-object', '-w', '--stdin'], { gitDir: path, input: content, signal });
  return stdout.trim();
}
