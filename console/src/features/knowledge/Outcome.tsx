import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { cx } from '../../ui/cx.ts';

type Result = Schemas['KnowledgeForPrompt'];

/** The notes that a session would get, best first, and those that it would not, each with the reason. */
export function Outcome({ org, result, noteId }: { org: string; result: Result; noteId?: string | undefined }) {
  const { items, total, not_given: notGiven } = result;
  const near = notGiven.filter(({ score, note_id: id }) => score > 0 || id === noteId);
  const others = notGiven.filter((one) => !near.includes(one));
  const rowsOf = (list: Result['not_given']) => (
    <ul>
      {list.map((one) => (
        <Row key={one.note_id} org={org} {...one} isThis={one.note_id === noteId} />
      ))}
    </ul>
  );
  return (
    <div className="flex flex-col gap-4">
      <section aria-label="Given" className="flex flex-col gap-1">
        <h3 className="font-medium">{items.length === 0 ? 'It would get no note.' : `It would get ${total}`}</h3>
        <ul>
          {items.map(({ note, score, reason }) => (
            <Row key={note.note_id} org={org} {...{ ...note, score, reason }} isThis={note.note_id === noteId} />
          ))}
        </ul>
      </section>
      {near.length > 0 && (
        <section aria-label="Not given" className="flex flex-col gap-1">
          <h3 className="font-medium text-ink-2">Not given, though it is near</h3>
          {rowsOf(near)}
        </section>
      )}
      {others.length > 0 && (
        <details>
          <summary className="min-h-6 cursor-pointer text-ink-2 pointer-coarse:min-h-11">
            {others.length === 1 ? '1 other note' : `${others.length} other notes`}, and why not
          </summary>
          {rowsOf(others)}
        </details>
      )}
    </div>
  );
}

interface RowProps {
  org: string;
  note_id: string;
  name: string;
  score: number;
  reason: string;
  isThis: boolean;
}

function Row({ org, note_id: noteId, name, score, reason, isThis }: RowProps) {
  return (
    <li
      className={cx(
        'grid min-h-8 grid-cols-[40px_minmax(0,1fr)] items-baseline gap-x-2 border-b border-line py-1',
        isThis && 'bg-accent-soft',
      )}
    >
      <span className="mono px-1 text-ink-3">{score.toFixed(2)}</span>
      <span className="min-w-0 break-words">
        <Link to="/$org/knowledge/$noteId" params={{ org, noteId }} className="font-medium hover:underline">
          {name}
        </Link>
        {isThis && <span className="text-ink-2"> (this note)</span>}
        <span className="block text-ink-2">{reason}</span>
      </span>
    </li>
  );
}
