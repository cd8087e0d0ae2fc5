import type { Session } from '../../../lib/api.ts';
import { duration } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';

type Evidence = Session['phases'][number]['evidence'][number];

/** A command or a file that supports the result of a phase. */
export function Proof({
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
