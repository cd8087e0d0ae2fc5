import { duration } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';
import { Proof } from '../detail/Proof.tsx';
import type { RowOf } from './rows.ts';

const phaseNames = {
  reproduce: 'Reproduce',
  implement: 'Implement',
  verify: 'Verify',
  deliver: 'Deliver',
} as const;

/** The rule where a phase begins, with its result and evidence. */
export function PhaseRow({ row: { is, at } }: { row: RowOf<'phase'> }) {
  return (
    <section className="mt-3 border-t border-line pt-2">
      <h2 className="flex items-baseline gap-2 px-3 font-medium">
        {phaseNames[is.name]}
        <span className={cx('font-normal', is.status === 'failed' ? 'text-bad' : 'text-ink-3')}>
          {is.status.replaceAll('_', ' ')}
          {is.endedAt !== '' && ` · ${duration(Date.parse(is.endedAt) - Date.parse(at))}`}
        </span>
      </h2>
      {is.summary !== '' && <p className="max-w-[72ch] px-3 text-ink-2">{is.summary}</p>}
      {is.evidence.length > 0 && (
        <details className="px-3 py-1">
          <summary className="cursor-pointer text-ink-3">Evidence</summary>
          {is.evidence.map((evidence, at_) => (
            <Proof key={at_} evidence={evidence} />
          ))}
        </details>
      )}
    </section>
  );
}
