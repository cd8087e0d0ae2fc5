import { Button } from '../../../../ui/Button.tsx';
import type { DiffFile } from '../../../../ui/diff/diff.ts';
import { lineWords } from '../../../../ui/diff/lines.ts';
import type { useComments } from './useComments.ts';

type Notes = ReturnType<typeof useComments>;

/** A comment on lines, which is sent with the others. */
export function Note({ id, notes }: { id: string; notes: Notes }) {
  const note = notes.comments.find((one) => one.id === id);
  if (note === undefined) return null;
  return (
    <div className="my-1 flex max-w-[72ch] flex-col gap-1 rounded-control border border-accent bg-surface p-2 font-sans text-base whitespace-normal">
      <textarea
        autoFocus={id === notes.fresh && note.text === ''}
        aria-label={`Comment on ${lineWords(note)}`}
        rows={2}
        maxLength={10_000}
        value={note.text}
        onChange={({ target }) => notes.write(id, target.value)}
        className="field-sizing-content max-h-60 w-full rounded-control border border-line-strong bg-surface px-2 py-1 text-ink"
      />
      <p className="flex items-center gap-2 text-meta text-ink-3">
        Is sent with the others, as one message.
        <Button look="bare" className="ml-auto" onClick={() => notes.drop(id)}>
          Remove
        </Button>
      </p>
    </div>
  );
}

interface LeftProps {
  files: readonly DiffFile[];
  notes: Notes;
  /** Says why their files are not shown. */
  why: string;
}

/** Comments on files that are not among the changes; nothing without one. */
export function LeftNotes({ files, notes, why }: LeftProps) {
  const left = notes.comments.filter((note) => !files.some(({ path }) => path === note.path));
  if (left.length === 0) return null;
  return (
    <section
      aria-label="Comments on other files"
      className="flex max-h-64 shrink-0 flex-col gap-2 overflow-auto border-b border-line bg-wait-soft px-4 py-2"
    >
      {left.map((note) => (
        <div key={note.id}>
          <p>
            <code className="break-all">{note.path}</code>, {lineWords(note)}. {why}
          </p>
          <Note id={note.id} notes={notes} />
        </div>
      ))}
    </section>
  );
}
