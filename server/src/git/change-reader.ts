import { ProviderError } from '../lib/errors.ts';

/** Limit for changed files: a tree can repeat subtrees, so that a few hundred bytes represent an unbounded number of files. */
export const mostChanges = 100_000;

/** Thrown if two commits differ in more files than the limit. */
export class TooManyChanges extends ProviderError {
  constructor() {
    const most = mostChanges.toLocaleString('en');
    super(`more than ${most} files differ; larger comparisons are not supported`, { retryable: false });
  }
}

/** A changed file from git's raw and numstat listings. */
export interface Change {
  path: string;
  /** The path before a rename; '' otherwise. */
  old_path: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  binary: boolean;
  additions: number;
  deletions: number;
  /** The number of `diff --git` sections in the patch: a change of type (file to link) is a deletion and an addition. */
  sections: number;
}

/**
 * Parses the output of `git diff-tree -z --raw --numstat -p`, in pieces of any size: all raw records, all line counts, then,
 * after an empty field, the patch. Throws {@link TooManyChanges}.
 */
export class ChangeReader {
  readonly changes: Change[] = [];
  #rest: Buffer = Buffer.alloc(0);
  /** The handlers of the next fields, in order. */
  #expected: ((field: string) => void)[] = [];
  #counted = 0;
  #inPatch = false;

  /** Parses the next bytes and returns those of the patch. */
  push(chunk: Buffer): Buffer {
    if (this.#inPatch) return chunk;
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
      const field = bytes.toString('utf8', 0, end);
      bytes = bytes.subarray(end + 1);
      this.#take(field);
      if (this.#inPatch) return bytes;
    }
    this.#rest = bytes;
    return bytes.subarray(0, 0);
  }

  #take(field: string): void {
    const expected = this.#expected.shift();
    if (expected !== undefined) expected(field);
    else if (field.startsWith(':')) this.#begin(field.split(' ')[4]?.charAt(0) ?? '');
    else if (field === '') this.#inPatch = true;
    else this.#count(field);
  }

  #begin(letter: string): void {
    if (this.changes.length === mostChanges) throw new TooManyChanges();
    const change: Change = {
      path: '',
      old_path: '',
      status: statusOf(letter),
      binary: false,
      additions: 0,
      deletions: 0,
      sections: letter === 'T' ? 2 : 1,
    };
    this.changes.push(change);
    const toPath = (field: string): void => void (change.path = field);
    const toOldPath = (field: string): void => void (change.old_path = field);
    this.#expected = letter === 'R' ? [toOldPath, toPath] : [toPath];
  }

  /** Parses line counts; for a rename both paths follow as separate fields. */
  #count(field: string): void {
    const change = this.changes[this.#counted];
    this.#counted += 1;
    if (change === undefined) return;
    const [added = '', deleted = ''] = field.split('\t');
    change.binary = added === '-';
    change.additions = Number(added) || 0;
    change.deletions = Number(deleted) || 0;
    if (change.status === 'renamed') this.#expected = [() => undefined, () => undefined];
  }
}

function statusOf(letter: string): Change['status'] {
  if (letter === 'A') return 'added';
  if (letter === 'D') return 'deleted';
  return letter === 'R' ? 'renamed' : 'modified';
}
