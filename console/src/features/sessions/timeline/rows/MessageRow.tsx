import { count } from '../../../../lib/format.ts';
import { Chip } from '../../../../ui/Chip.tsx';
import { cx } from '../../../../ui/cx.ts';
import { Time } from '../../../../ui/Time.tsx';
import { ClippedText } from '../ClippedText.tsx';
import { omitted } from '../clip.ts';
import { Markdown } from '../Markdown.tsx';
import type { RowOf } from '../rows.ts';

export interface TurnFold {
  /** The turn that begins with the message; undefined for other messages. */
  turn: number | undefined;
  isOpen: boolean;
  hides: number;
  toggle: () => void;
}

/** A message: of a person inset, of the agent as reading text. */
export function MessageRow({ row: { is, at }, fold }: { row: RowOf<'message'>; fold: TurnFold }) {
  const isWhole = omitted(is.text) === 0;
  const text = is.text.head + is.text.tail;
  if (is.role === 'agent')
    return (
      <div className="px-3 py-2">
        {isWhole ? <Markdown text={text} /> : <ClippedText clip={is.text} />}
        {!is.isDone && (
          <span role="img" aria-label="in progress" className="text-accent">
            ▍
          </span>
        )}
      </div>
    );
  const attachments = is.from?.attachments.length ?? 0;
  return (
    <div className="mt-3 rounded-r-control border-l-2 border-accent bg-surface px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2 text-meta text-ink-3">
        <span className="font-medium text-ink-2">{is.role === 'platform' ? 'Guildhall' : senderOf(is.from)}</span>
        <Time at={at} />
        {is.state === 'queued' && <Chip tone="wait">queued</Chip>}
        {is.state === 'withdrawn' && <Chip>withdrawn</Chip>}
        {attachments > 0 && <span>{attachments === 1 ? '1 file' : `${count(attachments)} files`} attached</span>}
        {fold.turn !== undefined && fold.turn > 1 && (
          <button
            type="button"
            aria-expanded={fold.isOpen}
            onClick={fold.toggle}
            className="ml-auto min-h-6 rounded-chip px-1 hover:bg-sunken hover:text-ink pointer-coarse:min-h-11"
          >
            {fold.isOpen ? `Turn ${fold.turn}, fold` : `Turn ${fold.turn}, ${count(fold.hides)} folded`}
          </button>
        )}
      </p>
      <div className={cx(is.state === 'withdrawn' && 'line-through opacity-75')}>
        {isWhole ? (
          <p className="max-w-[72ch] text-read break-words whitespace-pre-wrap">{text}</p>
        ) : (
          <ClippedText clip={is.text} />
        )}
      </div>
    </div>
  );
}

const kinds = {
  user: '',
  service_user: ' (service user)',
  app: ' (app)',
  session: ' (session)',
  system: '',
  provider: ' (git host)',
} as const;

function senderOf(from: RowOf<'message'>['is']['from']): string {
  if (from === undefined) return 'A person';
  const { type, name } = from.by;
  return type === 'system' ? 'Guildhall' : `${name === '' ? 'Somebody who is gone' : name}${kinds[type]}`;
}
