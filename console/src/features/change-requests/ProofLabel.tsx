import { Check, CircleDashed, X, type LucideIcon } from 'lucide-react';
import { cx } from '../../ui/cx.ts';
import { proofOf, type Evidence } from './proof.ts';

const looks: Record<string, readonly [LucideIcon, string]> = {
  ok: [Check, 'text-ok font-medium'],
  bad: [X, 'text-bad font-medium'],
  plain: [CircleDashed, 'text-ink-2'],
};

/** What the check says about a change: icon, word and color. */
export function ProofLabel({ evidence }: { evidence: readonly Evidence[] }) {
  const { word, tone } = proofOf(evidence);
  const [Icon = CircleDashed, look = ''] = looks[tone] ?? [];
  return (
    <span className={cx('inline-flex items-center gap-1 align-top whitespace-nowrap', look)}>
      <Icon size={16} strokeWidth={1.5} aria-hidden />
      {word}
    </span>
  );
}
