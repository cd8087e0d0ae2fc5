import { changedFiles, readBlobs } from '../../../git/changed-files.ts';
import { createMask, type Mask, type MaskStream } from '../../../lib/mask/mask.ts';
import { pace } from '../../../lib/pace.ts';
import type { RunSecrets } from './run-secrets.ts';

/** A changed file that holds a secret. */
export interface SecretFound {
  /** Masked. */
  path: string;
  /** Where the value ends, from 1; 0 when it is in the file's name. */
  line: number;
  /** What the secret is called. */
  name: string;
}

/** What is in a file, by the names of the secrets. */
type Content = ReadonlyMap<string, { line: number }>;

const nothing: Content = new Map();

/** Looks for secrets in what a session changed. What was looked at once is not read again while the secrets are the same. */
export class SecretScanner {
  readonly #secrets: RunSecrets;
  #guard: Mask | undefined;
  #seen = new Map<string, Content>();

  constructor(secrets: RunSecrets) {
    this.#secrets = secrets;
  }

  /** The secrets that a commit has in its changed files, or their names, and that its base does not have there already. */
  async added(gitDir: string, base: string, head: string, signal: AbortSignal): Promise<SecretFound[]> {
    const found: SecretFound[] = [];
    for (const { path, before, after } of await this.#changes(gitDir, base, head, signal)) {
      const shown = this.#secrets.mask.text(path);
      if (before === undefined)
        for (const name of (await this.#namesIn(only(path))).keys()) found.push({ path: shown, line: 0, name });
      for (const [name, { line }] of after) if (before?.has(name) !== true) found.push({ path: shown, line, name });
    }
    return found;
  }

  /** Whether a secret is in a changed file, before or after: what is packed of it could be unpacked by anybody. */
  async isIn(gitDir: string, base: string, head: string, signal: AbortSignal): Promise<boolean> {
    const changes = await this.#changes(gitDir, base, head, signal);
    return changes.some(({ before = nothing, after }) => before.size > 0 || after.size > 0);
  }

  async #changes(gitDir: string, base: string, head: string, signal: AbortSignal) {
    const { guard } = this.#secrets;
    if (guard !== this.#guard) this.#seen = new Map();
    this.#guard = guard;
    // An empty workspace into which nothing was written has no commit.
    const files = head === '' ? [] : await changedFiles(gitDir, base, head, { signal });
    const ids = new Set(files.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => id !== ''));
    const unseen = [...ids].filter((id) => !this.#seen.has(id));
    const suspects: string[] = [];
    for await (const { id, content } of readBlobs(gitDir, unseen, { signal }))
      if (await passes(guard, content)) this.#seen.set(id, nothing);
      else suspects.push(id);
    for await (const { id, content } of readBlobs(gitDir, suspects, { signal }))
      this.#seen.set(id, await this.#namesIn(content));
    return files.map(({ path, oldId, newId }) => ({
      path,
      before: oldId === '' ? undefined : (this.#seen.get(oldId) ?? nothing),
      after: this.#seen.get(newId) ?? nothing,
    }));
  }

  async #namesIn(content: AsyncIterable<Buffer>): Promise<Content> {
    const searches = this.#secrets.named.map(({ name, value }) => ({ name, search: new LineSearch(value) }));
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
}

/** Whether none of the values is in it; what is large is never held whole. */
async function passes(guard: Mask, content: AsyncIterable<Buffer>): Promise<boolean> {
  const stream = guard.stream();
  for await (const chunk of content) {
    await pace();
    if (stream.found === undefined) stream.push(chunk);
  }
  stream.end();
  return stream.found === undefined;
}

/** Looks in what streams by for the line in which a value ends first. */
class LineSearch {
  readonly #stream: MaskStream;
  #lines = 0;

  constructor(value: string) {
    this.#stream = createMask([value], { lines: 'telling' }).stream();
  }

  push(chunk: Buffer): void {
    if (this.#stream.found !== undefined) return;
    this.#stream.push(chunk);
    this.#lines += linesIn(chunk);
  }

  /** From 1, or 0 when it is in none. */
  end(): number {
    if (this.#stream.found === undefined) this.#stream.end();
    const { found } = this.#stream;
    if (found === undefined) return 0;
    return this.#lines - linesIn(found.bytes) + linesIn(found.bytes.subarray(0, found.end)) + 1;
  }
}

async function* only(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

/** What the session's person and its agent are told; without a value. */
export function foundText(found: readonly SecretFound[]): string {
  const shown = found.slice(0, 20).map(({ path, line, name }) => {
    const where = line === 0 ? `the name of ${path}` : `${path}:${line}`;
    return `${where} holds the value of the secret ${name}`;
  });
  const more = found.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
