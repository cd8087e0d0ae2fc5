import { PassThrough, Readable } from 'node:stream';
import type { ZipFile } from 'yazl';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { writeNoteFile } from './front-matter.ts';
import { notesFor } from './service.ts';
import type { NoteFilters } from './schemas.ts';
import { listNoteRows } from './store.ts';
import { slugOf } from '../../lib/slug.ts';

const batch = 100;

/**
 * Streams the notes that a caller may see as a zip of Markdown files: only one batch of notes is in memory, however slow the
 * reader is.
 */
export async function exportNotes(ctx: Pick<Context, 'db'>, caller: Actor, filters: NoteFilters): Promise<Readable> {
  const query = await notesFor(ctx, caller, filters);
  // Loaded lazily: most processes never write one.
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const out = new PassThrough();
  zip.outputStream.pipe(out);
  // The archive holds this until it ends, so it gets the files' metadata instead of their content.
  const files = new Map<string, Buffer>();
  const take = (path: string): Readable => {
    const file = files.get(path) ?? Buffer.alloc(0);
    files.delete(path);
    return Readable.from([file]);
  };
  const add = async (after: string | undefined): Promise<void> => {
    const rows = await listNoteRows(query, after, batch);
    for (const [at, row] of rows.entries()) {
      const { id } = row;
      const file = Buffer.from(writeNoteFile({ noteId: id, content: row }));
      const path = pathOf(row);
      files.set(path, file);
      const isLast = at === rows.length - 1;
      addFile(zip, path, { size: file.length, mtime: row.updated_at }, () => {
        if (isLast) add(id).catch((error: unknown) => out.destroy(error instanceof Error ? error : undefined));
        return take(path);
      });
    }
    if (rows.length === 0) zip.end();
  };
  await add(undefined);
  return out;
}

/** Adds a file; `open` is called once the archive reaches it. */
function addFile(zip: ZipFile, path: string, traits: { size: number; mtime: Date }, open: () => Readable): void {
  zip.addReadStreamLazy(path, { ...traits, mode: 0o100644 }, (begin) => begin(null, open()));
}

/** Returns a unique, readable path: `organization/deploying-on-fridays-01h….md`. */
function pathOf({ id, name, scope }: { id: string; name: string; scope: string }): string {
  const slug = slugOf(name, 60);
  return `${scope}/${slug === '' ? 'note' : slug}-${id.slice(id.indexOf('_') + 1)}.md`;
}
