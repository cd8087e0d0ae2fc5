import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { cx } from '../../ui/cx.ts';

type Result = Schemas['KnowledgeForPrompt'];

/** The notes that a session would get, best first, and those that it would not, each with the reason. */
export function Outcome({ org, result, noteId }: { org: string; result: Result; noteId?: string | undefined }) {
  const { items, total, not_given: others } = result;
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
      {others.length > 0 && (
        <section aria-label="Not given" className="flex flex-col gap-1">
          <h3 className="font-medium text-ink-2">Not given</h3>
          <ul>
            {others.map((other) => (
              <Row key={other.note_id} org={org} {...other} isThis={other.note_id === noteId} />
            ))}
          </ul>
        </section>
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
