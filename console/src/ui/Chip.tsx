import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const tones = {
  plain: 'bg-sunken text-ink-2',
  ok: 'bg-ok-soft text-ok',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  run: 'bg-run-soft text-run',
} as const;

/** A word about a thing, such as its state. Colors never say anything that the word does not. */
export function Chip({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-block max-w-full align-middle truncate rounded-chip px-1.5 text-meta leading-5',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
