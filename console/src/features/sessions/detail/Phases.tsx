import type { Session } from '../../../lib/api.ts';
import { duration } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';

type Phase = Session['phases'][number];
type Evidence = Phase['evidence'][number];

const names: Record<Phase['name'], string> = {
  reproduce: 'Reproduce',
  implement: 'Implement',
  verify: 'Verify',
  deliver: 'Deliver',
};

/** The phases that began, each with its evidence. */
export function Phases({ phases }: { phases: readonly Phase[] }) {
  return phases.map((phase) => (
    <section key={phase.name} aria-labelledby={`phase-${phase.name}`} className="border-t border-line pt-3">
      <h2 id={`phase-${phase.name}`} className="flex items-baseline gap-2 font-medium">
        {names[phase.name]}
        <span className={cx('font-normal', phase.status === 'failed' ? 'text-bad' : 'text-ink-3')}>
          {phase.status.replaceAll('_', ' ')}
          {phase.started_at !== null &&
            phase.ended_at !== null &&
            ` · ${duration(Date.parse(phase.ended_at) - Date.parse(phase.started_at))}`}
        </span>
      </h2>
      {phase.summary !== '' && <p className="mt-1 max-w-[72ch] text-ink-2">{phase.summary}</p>}
      {phase.evidence.map((evidence, at) => (
        <Proof key={at} evidence={evidence} />
      ))}
    </section>
  ));
}

function Proof({
  evidence: { kind, command, exit_code: exit, duration_ms: ms, output_tail: output },
}: {
  evidence: Evidence;
}) {
  return (
    <div className="mt-2 overflow-hidden rounded-control border border-line">
      <p className="flex items-baseline gap-2 bg-sunken px-3 py-1">
        <code className="min-w-0 flex-1 break-all">{kind === 'command' ? `$ ${command}` : command}</code>
        {exit !== null && kind === 'command' && (
          <span className={cx('mono whitespace-nowrap', exit === 0 ? 'text-ink-2' : 'text-bad')}>
            exit {exit} · {duration(ms)}
          </span>
        )}
      </p>
      {output !== '' && <pre className="max-h-96 overflow-auto px-3 py-2 whitespace-pre-wrap">{output}</pre>}
    </div>
  );
}
