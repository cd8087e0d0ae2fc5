import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { pace } from '../../lib/pace.ts';
import { readZip, ZipRefused } from '../../lib/zip.ts';
import { mutate, type AuditRecorder } from '../../mutation/mutate.ts';
import { NotANote, readNoteFile, type NoteFile } from './front-matter.ts';
import { planImport, type Fate } from './import-plan.ts';
import { contentProblem } from './note-rules.ts';
import { newRow, ownerOf, auditedName, eventData, type NoteContext } from './service.ts';
import { insertNotes, keepRevisions, lockImports, readPresent, updateNote } from './store.ts';
import { fieldError } from '../../lib/field-error.ts';

/** Limits of one import, for the request and for its unpacked content. */
export const importLimits = {
  uploads: 1_000,
  uploadBytes: 33_554_432,
  files: 10_000,
  fileBytes: 172_032,
  totalBytes: 67_108_864,
} as const;

/** Number of notes written at once. */
const batch = 50;

/** A received file with its note, or the reason why it is not one. */
interface Arrived {
  readonly file: string;
  readonly note?: NoteFile;
  readonly reason?: string;
}

interface Outcome {
  readonly file: string;
  readonly result: Fate['result'];
  readonly note_id: string;
  readonly reason: string;
}

/**
 * Creates notes from Markdown files, plain or in zip archives, all in one transaction. An invalid file is reported and does not
 * affect the others. `repeats` tells if a request repeats an earlier one; the result is then undefined. Throws 400
 * `invalid_request` for an archive that is unreadable or has paths outside of it.
 */
export async function importNotes(
  ctx: NoteContext,
  caller: Caller,
  uploads: readonly { name: string; content: Buffer }[],
  repeats: () => Promise<boolean>,
) {
  if (await repeats()) return undefined;
  const arrived: Arrived[] = [];
  for (const upload of uploads) {
    for await (const file of filesIn(upload)) {
      arrived.push(file.bytes === undefined ? file : await read(caller, file.name, file.bytes));
      // Parsing a hostile file can take long; other work runs after each.
      await setImmediate();
      if (arrived.length > importLimits.files)
        throw fieldError('/file', `must have at most ${importLimits.files} files in total`);
    }
  }
  return mutate(ctx, caller, async (trx, audit) => {
    const items = await apply(ctx, trx, caller, arrived, audit);
    const count = (result: Fate['result']): number => items.filter((item) => item.result === result).length;
    const counts = {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
    };
    audit({
      action: 'knowledge.import',
      resource: { type: 'organization', id: caller.organization.id },
      changes: { ...counts },
    });
    return { ...counts, items };
  });
}

async function* filesIn({ name, content }: { name: string; content: Buffer }) {
  // The signature of an archive, or of an empty one (APPNOTE.TXT, 4.3.7 and 4.3.16).
  const isZip = ['504b0304', '504b0506'].includes(content.subarray(0, 4).toString('hex'));
  if (!isZip) {
    if (/\.zip$/i.test(name))
      throw fieldError('/file', 'is not a ZIP archive, or is damaged. Create the archive again.');
    yield { file: labelOf(name), name, bytes: content };
    return;
  }
  const refused: Arrived[] = [];
  const { files, fileBytes, totalBytes } = importLimits;
  const limits = { files, fileBytes, totalBytes };
  try {
    const unpacked = await readZip(content, limits, ({ path, message: reason }) =>
      refused.push({ file: labelOf(path), reason }),
    );
    for (const { path, content: bytes } of unpacked) yield { file: labelOf(path), name: path, bytes };
  } catch (error) {
    if (error instanceof ZipRefused) throw fieldError('/file', `: ${error.message}`);
    throw error;
  }
  for (const file of refused) yield { ...file, name: file.file, bytes: undefined };
}

async function read(caller: Actor, name: string, bytes: Buffer): Promise<Arrived> {
  const file = labelOf(name);
  if (!/\.(?:md|markdown)$/i.test(name)) return { file, reason: 'The name of a Markdown file must end in .md.' };
  if (bytes.length > importLimits.fileBytes)
    return { file, reason: `Limit exceeded: a file can have at most ${importLimits.fileBytes} bytes.` };
  try {
    const note = await readNoteFile(bytes);
    const problem = contentProblem(note.content, caller);
    return problem === undefined
      ? { file, note }
      : { file, reason: `The field ${problem.path.slice(1)} ${problem.message}.` };
  } catch (error) {
    if (error instanceof NotANote) return { file, reason: error.message };
    throw error;
  }
}

async function apply(
  ctx: NoteContext,
  trx: Transaction<DB>,
  caller: Actor,
  arrived: readonly Arrived[],
  audit: AuditRecorder,
): Promise<Outcome[]> {
  const notes = arrived.flatMap(({ note }) => (note === undefined ? [] : [note]));
  const orgId = caller.organization.id;
  await lockImports(trx, orgId);
  const present = await readPresent(trx, orgId, ownerOf(caller.principal), {
    ids: notes.map(({ noteId }) => noteId),
    names: notes.map(({ content }) => content.name),
  });
  const fates = await planImport(notes, present);
  const now = ctx.clock.now();
  const made: ReturnType<typeof newRow>[] = [];
  const changed: string[] = [];
  let next = 0;
  const items: Outcome[] = [];
  for (const { file, note, reason = '' } of arrived) {
    const fate = note === undefined ? undefined : fates[next++];
    if (note === undefined || fate === undefined || fate.result === 'failed') {
      items.push({ file, result: 'failed', note_id: '', reason: fate?.result === 'failed' ? fate.reason : reason });
      continue;
    }
    const { scope, repo_filter } = note.content;
    if (fate.result === 'created') {
      const row = newRow(caller, note.content, 'import', now);
      made.push(row);
      const changes = { ...auditedName(note.content), scope, repo_filter, source: 'import' };
      const data = eventData(caller, note.content);
      audit({ action: 'knowledge_note.create', resource: { type: 'knowledge_note', id: row.id }, changes, data });
      items.push({ file, result: 'created', note_id: row.id, reason: '' });
      continue;
    }
    const { id, revision } = fate.note;
    if (fate.result === 'updated') {
      const owner = scope === 'user' ? caller.principal.id : null;
      await updateNote(trx, id, { ...note.content, user_id: owner, revision: revision + 1, updated_at: now });
      changed.push(id);
      const changes = { ...auditedName(note.content), source: 'import' };
      const data = eventData(caller, fate.note, note.content);
      audit({ action: 'knowledge_note.update', resource: { type: 'knowledge_note', id }, changes, data });
    }
    items.push({ file, result: fate.result, note_id: id, reason: '' });
  }
  for (let at = 0; at < made.length; at += batch) await insertNotes(trx, made.slice(at, at + batch));
  await keepRevisions(trx, [...changed, ...made.map(({ id }) => id)], caller.principal);
  return items;
}

/** Represents the files when requests are compared. */
export async function fingerprintOf(uploads: readonly { name: string; content: Buffer }[]): Promise<string> {
  const digest = createHash('sha256');
  for (const { name, content } of uploads) {
    digest.update(`${name}\n${content.length}\n`);
    for (let at = 0; at < content.length; at += mebibyte) {
      await pace();
      digest.update(content.subarray(at, at + mebibyte));
    }
  }
  return digest.digest('hex');
}

const mebibyte = 1024 * 1024;

/** Returns the name of a file in the report. */
function labelOf(name: string): string {
  return Array.from(name.toWellFormed().replaceAll('\u0000', '')).slice(0, 500).join('');
}
