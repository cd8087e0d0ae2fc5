import type { ReactNode } from 'react';
import { cx } from '../../../../ui/cx.ts';
import type { RowOf } from '../rows.ts';

const tones = { plain: 'text-ink-2', wait: 'bg-wait-soft text-wait', bad: 'bg-bad-soft text-bad' } as const;

/** A row of one line. */
export function Line({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return <div className={cx('rounded-control px-3 py-1 break-words', tones[tone])}>{children}</div>;
}

const marks = { pending: '○', in_progress: '◐', completed: '●' } as const;
const words = { pending: 'not begun', in_progress: 'in progress', completed: 'done' } as const;

/** The agent's plan as it is now. */
export function Plan({ entries }: { entries: RowOf<'plan'>['is']['entries'] }) {
  return (
    <ul aria-label="Plan" className="px-3 py-1">
      {entries.map(({ content, status }, at) => (
        <li key={at} className={cx('flex gap-2', status === 'completed' && 'text-ink-3')}>
          <span aria-hidden className="mono">
            {marks[status]}
          </span>
          <span className="min-w-0 break-words">
            {content} <span className="sr-only">, {words[status]}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
