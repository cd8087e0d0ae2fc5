import { memo } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { cx } from '../../../ui/cx.ts';
import { rangeOf, type BlockWindow } from './window.ts';

type Outline = Schemas['SessionOutline'];

interface Props {
  outline: Outline;
  lastSeq: number;
  /** What is loaded. */
  window: BlockWindow;
  jump: (seq: number) => void;
}

const colors: Partial<Record<Outline['marks'][number]['kind'], string>> = {
  message: 'bg-accent',
  approval: 'bg-wait',
  budget: 'bg-wait',
  warning: 'bg-wait',
  error: 'bg-bad',
  tool_result: 'bg-bad',
  command: 'bg-bad',
  branch_pushed: 'bg-run',
  change_request: 'bg-run',
};
const others = 'bg-ink-3';

/** Marks beyond this number stand too close to each other to be told apart. */
const mostMarks = 400;

/** The whole log as a strip of 12 px: phases, turns and what matters by their place; a click goes there. */
export const Minimap = memo(({ outline, lastSeq, window, jump }: Props) => {
  const top = (seq: number) => `${(100 * Math.max(0, seq - 1)) / Math.max(1, lastSeq)}%`;
  const marks = [
    ...outline.turns.map(({ seq, title, turn }) => ({
      seq,
      kind: 'message' as const,
      title: title === '' ? `Turn ${turn}` : title,
    })),
    ...outline.marks,
  ].slice(-mostMarks);
  const loaded = { from: rangeOf(window.first).from, to: Math.min(lastSeq, rangeOf(window.last).to) };
  return (
    <nav
      aria-label="Places in the log"
      className="relative my-1 hidden w-3 shrink-0 bg-sunken sm:block"
      onClick={({ target, currentTarget, clientY }) => {
        if (target !== currentTarget) return;
        const { top: begin, height } = currentTarget.getBoundingClientRect();
        jump(Math.max(1, Math.round(((clientY - begin) / height) * lastSeq)));
      }}
    >
      <span
        aria-hidden
        className="pointer-events-none absolute inset-x-0 border-y border-line-strong bg-surface"
        style={{ top: top(loaded.from), bottom: `calc(100% - ${top(loaded.to + 1)})` }}
      />
      {marks.map(({ seq, kind, title }, at) => (
        <button
          key={`${kind}${seq}.${at}`}
          type="button"
          tabIndex={-1}
          title={title}
          aria-label={title === '' ? kind.replaceAll('_', ' ') : title}
          onClick={() => jump(seq)}
          className={cx('absolute inset-x-0.5 h-0.5 min-h-0.5 cursor-pointer', colors[kind] ?? others)}
          style={{ top: top(seq) }}
        />
      ))}
    </nav>
  );
});
