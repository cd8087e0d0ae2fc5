import { duration } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';
import { Time } from '../../../ui/Time.tsx';
import { ClippedText } from './ClippedText.tsx';
import { omitted } from './clip.ts';
import { Markdown } from './Markdown.tsx';
import type { RowOf } from './rows.ts';

const senders = { user: 'A person', agent: 'Agent', platform: 'Guildhall' } as const;
const states = { queued: ' · queued', delivered: '', withdrawn: ' · withdrawn' } as const;

/** A message: of a person inset, of the agent as reading text. */
export function MessageRow({ row: { is, at } }: { row: RowOf<'message'> }) {
  const text = omitted(is.text) > 0 ? undefined : is.text.head + is.text.tail;
  return (
    <div
      className={cx(
        'px-3 py-2',
        is.role !== 'agent' && 'border-l-2 border-accent bg-surface',
        is.state === 'withdrawn' && 'line-through',
      )}
    >
      {is.role !== 'agent' && (
        <p className="text-meta text-ink-3">
          {senders[is.role]} · <Time at={at} />
          {states[is.state]}
        </p>
      )}
      {text === undefined ? (
        <ClippedText clip={is.text} />
      ) : is.role === 'agent' ? (
        <Markdown text={text} />
      ) : (
        <p className="max-w-[72ch] text-read break-words whitespace-pre-wrap">{text}</p>
      )}
      {!is.isDone && is.role === 'agent' && <span aria-label="in progress">▍</span>}
    </div>
  );
}

/** What the agent thought: closed, with its duration. */
export function ThoughtRow({ row }: { row: RowOf<'thought'> }) {
  return (
    <details className="px-3 py-0.5">
      <summary className="cursor-pointer text-ink-3">
        {row.is.isDone ? `Thought for ${duration(Date.parse(row.is.endedAt) - Date.parse(row.at))}` : 'Thinking …'}
      </summary>
      <ClippedText clip={row.is.text} />
    </details>
  );
}
