import { changedFiles, readBlobs } from '../../../git/changed-files.ts';
import { createMask, type Mask, type MaskStream } from '../../../lib/mask/mask.ts';
import { pace } from '../../../lib/pace.ts';
import type { RunSecrets } from './run-secrets.ts';

/** A changed file that holds a secret. */
export interface SecretFound {
  /** Masked. */
  path: string;
  /** Line in which the value ends, from 1; 0 for the file's name. */
  line: number;
  /** The secret's name. */
  name: string;
}

/** Secrets found in a file, by name. */
type Content = ReadonlyMap<string, { line: number }>;

const noSecrets: Content = new Map();

/** Scans a session's changes for secrets. Caches the results by blob while the secrets are the same. */
export class SecretScanner {
  readonly #secrets: RunSecrets;
  #guard: Mask | undefined;
  #cache = new Map<string, Content>();
  /** By value: to make one for each file would take far longer than to search the files. */
  readonly #masks = new Map<string, Mask>();

  constructor(secrets: RunSecrets) {
    this.#secrets = secrets;
  }

  /** Returns the secrets that a commit adds in its changed files or their names, compared with its base. */
  async addedSecrets(gitDir: string, base: string, head: string, signal: AbortSignal): Promise<SecretFound[]> {
    const found: SecretFound[] = [];
    for (const { path, before, after } of await this.#changes(gitDir, base, head, signal)) {
      const shown = this.#secrets.mask.text(path);
      if (before === undefined && !(await isClean(this.#secrets.guard, singleChunk(path))))
        for (const name of (await this.#findSecrets(singleChunk(path))).keys())
          found.push({ path: shown, line: 0, name });
      for (const [name, { line }] of after) if (before?.has(name) !== true) found.push({ path: shown, line, name });
    }
    return found;
  }

  /** True if a changed file contains a secret, before or after the change. */
  async containsSecret(gitDir: string, base: string, head: string, signal: AbortSignal): Promise<boolean> {
    const changes = await this.#changes(gitDir, base, head, signal);
    return changes.some(({ before = noSecrets, after }) => before.size > 0 || after.size > 0);
  }

  async #changes(gitDir: string, base: string, head: string, signal: AbortSignal) {
    const { guard } = this.#secrets;
    if (guard !== this.#guard) this.#cache = new Map();
    this.#guard = guard;
    // An empty workspace without changes has no commit.
    const files = head === '' ? [] : await changedFiles(gitDir, base, head, { signal });
    const ids = new Set(files.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => id !== ''));
    const unseen = [...ids].filter((id) => !this.#cache.has(id));
    const suspects: string[] = [];
    for await (const { id, content } of readBlobs(gitDir, unseen, { signal }))
      if (await isClean(guard, content)) this.#cache.set(id, noSecrets);
      else suspects.push(id);
    for await (const { id, content } of readBlobs(gitDir, suspects, { signal }))
      this.#cache.set(id, await this.#findSecrets(content));
    return files.map(({ path, oldId, newId }) => ({
      path,
      before: oldId === '' ? undefined : (this.#cache.get(oldId) ?? noSecrets),
      after: this.#cache.get(newId) ?? noSecrets,
    }));
  }

  async #findSecrets(content: AsyncIterable<Buffer>): Promise<Content> {
    const searches = this.#secrets.named.map(({ name, value }) => ({
      name,
      search: new LineSearch(this.#maskOf(value)),
    }));
    for await (const chunk of content)
      for (const { search } of searches) {
        await pace();
        search.push(chunk);
      }
    const found = new Map<string, { line: number }>();
    for (const { name, search } of searches) {
      const line = search.end();
      if (line > 0) found.set(name, { line });
    }
    return found;
  }

  #maskOf(value: string): Mask {
    const known = this.#masks.get(value) ?? createMask([value], { lines: 'telling' });
    this.#masks.set(value, known);
    return known;
  }
}

/** True if the content has no known value. Streams it, so that large content is never in memory as a whole. */
async function isClean(guard: Mask, content: AsyncIterable<Buffer>): Promise<boolean> {
  const stream = guard.stream();
  for await (const chunk of content) {
    await pace();
    if (stream.found === undefined) stream.push(chunk);
  }
  stream.end();
  return stream.found === undefined;
}

/** Searches a stream for the line in which a value first ends. */
class LineSearch {
  readonly #stream: MaskStream;
  #lines = 0;

  constructor(mask: Mask) {
    this.#stream = mask.stream();
  }

  push(chunk: Buffer): void {
    if (this.#stream.found !== undefined) return;
    this.#stream.push(chunk);
    this.#lines += countLines(chunk);
  }

  /** Returns the line from 1; 0 if not found. */
  end(): number {
    if (this.#stream.found === undefined) this.#stream.end();
    const { found } = this.#stream;
    if (found === undefined) return 0;
    return this.#lines - countLines(found.bytes) + countLines(found.bytes.subarray(0, found.end)) + 1;
  }
}

async function* singleChunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

/** Message to the user and the agent, without the values. */
export function describeFound(found: readonly SecretFound[]): string {
  const shown = found.slice(0, 20).map(({ path, line, name }) => {
    const where = line === 0 ? `the name of ${path}` : `${path}:${line}`;
    return `${where} contains the value of the secret ${name}`;
  });
  const more = found.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
