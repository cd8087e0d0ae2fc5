import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError } from '../lib/errors.ts';
import { commitInfo } from './bare.ts';
import { pace } from '../lib/pace.ts';
import { requireObjectId } from './names.ts';
import { git, gitBytes } from './native.ts';

/*
 * The tree of a chain's commit has three directories: `raw` has the files that differ between checkpoint and base, and
 * `new` and `old` have the same files as they may be shown, at the checkpoint and at the base. So two checkpoints can
 * be compared without the base, and without knowing what is masked.
 */

/** Subject of the commits with such trees. */
const stateSubject = 'state';

const nobody = 'Guildhall <checkpoints@guildhall.invalid>';

/** The files as they may be shown. By default they are shown as they are. */
export interface Shown {
  path(path: Buffer): Buffer;
  /** Returns the id of the content to show instead of a file's content at the checkpoint. */
  now(id: string): string;
  /** The same for its content at the base. */
  before(id: string): string;
}

export const everything: Shown = { path: (path) => path, now: (id) => id, before: (id) => id };

const missing = '000000';

interface NewCommits {
  /** See `rawChanges`. */
  records: Buffer;
  shown: Shown;
  /** The checkpoint. */
  commit: string;
  /** The chain's last commit; '' without one. */
  tip: string;
}

/** Yields commands for git fast-import that add a checkpoint to a chain, and print the id of the chain's new commit. */
export async function* stateCommits({ records, shown, commit, tip }: NewCommits): AsyncGenerator<Buffer> {
  const files = fileCommands(records, shown);
  if (tip === '') {
    // Without a first commit of its own, the first parents would lead to the base.
    yield* stateCommit(':1', [], files);
    yield* stateCommit(':2', ['from :1', `merge ${commit}`], []);
  } else yield* stateCommit(':2', [`from ${requireObjectId(tip)}`, `merge ${commit}`, 'deleteall'], files);
  yield Buffer.from('get-mark :2\ndone\n');
}

async function* stateCommit(
  mark: string,
  parents: readonly string[],
  files: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer> {
  const message = `data ${stateSubject.length}\n${stateSubject}`;
  const head = ['commit refs/guildhall/line', `mark ${mark}`, `committer ${nobody} now`, message, ...parents];
  yield Buffer.from(`${head.join('\n')}\n`);
  yield* files;
}

async function* fileCommands(records: Buffer, shown: Shown): AsyncGenerator<Buffer> {
  for (let at = 0; at < records.length;) {
    await pace();
    const commands: string[] = [];
    const add = (fact: string, place: string, path: Buffer): void =>
      void commands.push(`M ${fact} ${quoted(`${place}/${path.toString('latin1')}`)}\n`);
    for (const piece = at + pieceBytes; at < records.length && at < piece;) {
      const middle = records.indexOf(0, at);
      const end = records.indexOf(0, middle + 1);
      const [oldMode = '', newMode = '', oldId = '', newId = ''] = records
        .toString('latin1', at + 1, middle)
        .split(' ');
      const own = records.subarray(middle + 1, end);
      const path = shown.path(own);
      if (newMode !== missing) {
        add(`${newMode} ${newId}`, 'raw', own);
        add(`${newMode} ${shown.now(newId)}`, 'new', path);
      }
      if (oldMode !== missing) add(`${oldMode} ${shown.before(oldId)}`, 'old', path);
      at = end + 1;
    }
    yield Buffer.from(commands.join(''), 'latin1');
  }
}

/** Quotes a path for git fast-import. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
}

/** A checkpoint, and the commit that its work started from; '' for the empty tree. */
export interface LineState {
  commit: string;
  base: string;
}

/** Mode, type and id by path, in Latin-1, which keeps every byte. */
type Files = ReadonlyMap<string, string>;

interface State {
  old: Files;
  now: Files;
}

/** Limit for the list of the files of a state, or of a chain. */
const maxListBytes = 16 * 1024 ** 2;
/** Bytes and files that are processed before other work gets a turn. */
const pieceBytes = 256 * 1024;
const pieceFiles = 2_000;

/**
 * Writes the trees of two checkpoints as they may be shown, with the files that differ between them. `path` has the
 * unpacked chain that ends at `tip`, '' for none. Returns undefined if the chain does not contain one of them. Throws
 * AppError `conflict` if they have too many files.
 */
export async function statesOf(
  path: string,
  tip: string,
  states: { from: LineState; to: LineState },
): Promise<{ from: string; to: string } | undefined> {
  const commits = await commitsOf(path, tip);
  const read = async ({ commit, base }: LineState): Promise<State | undefined> => {
    if (commit === base) return { old: new Map(), now: new Map() };
    const own = commits.get(commit);
    return own === undefined ? undefined : readState(path, own);
  };
  const from = await read(states.from);
  const to = await read(states.to);
  if (from === undefined || to === undefined) return undefined;
  return { from: await writeTree(path, from, to), to: await writeTree(path, to, from) };
}

/** True if the repository has a chain that ends at this commit; false for one of an earlier version, without such trees. */
export async function isLineTip(path: string, tip: string): Promise<boolean> {
  return (await commitInfo(path, tip))?.subject === stateSubject;
}

/** Returns the ids of all contents that the trees of a chain show, and all paths. Throws GitError if they are too many. */
export async function shownIn(
  path: string,
  tip: string,
  { signal }: { signal: AbortSignal },
): Promise<{ ids: string[]; paths: string }> {
  const options = { gitDir: path, signal, maxBuffer: maxListBytes };
  const chain = ['--first-parent', requireObjectId(tip)];
  const objects = await gitBytes(['rev-list', '--objects', '--filter=object:type=blob', ...chain], options);
  const ids: string[] = [];
  // Of several names, git prints the first: `new` and `old` come before `raw`.
  for await (const line of recordsOf(objects.stdout, 10)) {
    const [, id] = /^([0-9a-f]{40}) (?:new|old)\//.exec(line) ?? [];
    if (id !== undefined) ids.push(id);
  }
  const names = ['-z', '--format=', '--name-only', '--no-renames', '--root', '--diff-merges=first-parent', ...chain];
  const { stdout: paths } = await git(['log', ...names, '--', 'new', 'old'], options);
  return { ids, paths };
}

/** Returns the chain's commits by checkpoint; none if an earlier version wrote it. */
async function commitsOf(path: string, tip: string): Promise<Map<string, string>> {
  if (tip === '' || !(await isLineTip(path, tip))) return new Map();
  const { stdout } = await git(['rev-list', '--first-parent', '--parents', requireObjectId(tip)], { gitDir: path });
  return new Map(
    stdout.split('\n').flatMap((line) => {
      const [own = '', , checkpoint] = line.split(' ');
      return checkpoint === undefined ? [] : [[checkpoint, own] as const];
    }),
  );
}

async function readState(path: string, commit: string): Promise<State> {
  const list = ['ls-tree', '-r', '-z', '--full-tree', requireObjectId(commit), 'new', 'old'];
  const { stdout } = await gitBytes(list, { gitDir: path, maxBuffer: 2 * maxListBytes });
  if (stdout.length > maxListBytes)
    throw new AppError('conflict', 'The session changed too many files to compare its checkpoints.');
  const files = { new: new Map<string, string>(), old: new Map<string, string>() };
  for await (const record of recordsOf(stdout, 0)) {
    const tab = record.indexOf('\t');
    const side = record.startsWith('new/', tab + 1) ? files.new : files.old;
    side.set(record.slice(tab + 5), record.slice(0, tab));
  }
  return { old: files.old, now: files.new };
}

async function* recordsOf(output: Uint8Array, terminator: number): AsyncGenerator<string> {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.length);
  for (let at = 0; at < bytes.length;) {
    await pace();
    for (const piece = at + pieceBytes; at < bytes.length && at < piece;) {
      const found = bytes.indexOf(terminator, at);
      const end = found < 0 ? bytes.length : found;
      yield bytes.toString('latin1', at, end);
      at = end + 1;
    }
  }
}

/** Returns a file of one state. Where only the other state differs from the base, it is as the base has it. */
function fileOf({ old, now }: State, path: string, other: State): string | undefined {
  return now.get(path) ?? (old.has(path) ? undefined : other.old.get(path));
}

/** Yields the files of one state that differ in the other, as entries for update-index. */
async function* differing(state: State, other: State): AsyncGenerator<Buffer> {
  let count = 0;
  let lines = '';
  for (const paths of [state.now.keys(), other.old.keys()])
    for (const path of paths) {
      const file = fileOf(state, path, other);
      if (file !== undefined && file !== fileOf(other, path, state)) lines += `${file}\t${path}\0`;
      count += 1;
      if (count % pieceFiles > 0) continue;
      await pace();
      yield Buffer.from(lines, 'latin1');
      lines = '';
    }
  yield Buffer.from(lines, 'latin1');
}

async function writeTree(path: string, state: State, other: State): Promise<string> {
  const index = join(path, `state-${randomUUID()}.index`);
  const options = { gitDir: path, env: { GIT_INDEX_FILE: index } };
  const input = Readable.from(differing(state, other), { objectMode: false });
  try {
    await git(['update-index', '-z', '--add', '--replace', '--index-info'], { ...options, input });
    const { stdout } = await git(['write-tree', '--missing-ok'], options);
    return requireObjectId(stdout.trim());
  } finally {
    await rm(index, { force: true });
  }
}
