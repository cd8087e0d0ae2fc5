import { duration } from '../../../lib/format.ts';
import { cx } from '../../../ui/cx.ts';
import { clipOf } from './clip.ts';
import { ClippedText } from './ClippedText.tsx';
import type { RowOf } from './rows.ts';

/** A tool call with its commands; closed, unless it failed. */
export function CallRow({ row, commands }: { row: RowOf<'call'>; commands: readonly RowOf<'command'>[] }) {
  const { call, result, endedAt } = row.is;
  const isRunning = result === undefined;
  return (
    <details open={result?.ok === false} className="group px-3 py-0.5">
      <summary className="flex cursor-pointer items-baseline gap-2 text-ink-2">
        <span aria-hidden className={cx('mono', result?.ok === false && 'text-bad', isRunning && 'text-run')}>
          {isRunning ? '◐' : result.ok ? '✓' : '✕'}
        </span>
        <span className="sr-only">{isRunning ? 'in progress' : result.ok ? 'done' : 'failed'}</span>
        <span className="min-w-0 flex-1 truncate">{call?.title ?? 'A call that began earlier'}</span>
        {!isRunning && (
          <span className="mono text-meta text-ink-3">{duration(Date.parse(endedAt) - Date.parse(row.at))}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 py-2 pl-5">
        {call !== undefined && Object.keys(call.input).length > 0 && (
          <pre className="overflow-x-auto text-ink-3">{JSON.stringify(call.input, null, 2)}</pre>
        )}
        {commands.map((command) => (
          <CommandRow key={command.key} row={command} />
        ))}
        {result !== undefined && commands.length === 0 && <ClippedText clip={clipOf(result.output)} />}
      </div>
    </details>
  );
}

/** A command with its output; open if it failed or runs. */
export function CommandRow({ row }: { row: RowOf<'command'> }) {
  const { command, output } = row.is;
  const exit = command?.exit_code ?? null;
  return (
    <details open={exit !== 0} className="px-3 py-0.5">
      <summary className="flex cursor-pointer items-baseline gap-2">
        <code className="min-w-0 flex-1 truncate">$ {command?.command ?? '…'}</code>
        <span
          className={cx(
            'mono text-meta whitespace-nowrap',
            exit === 0 ? 'text-ink-3' : exit === null ? 'text-run' : 'text-bad',
          )}
        >
          {exit === null ? 'runs' : `exit ${exit}`}
          {typeof command?.duration_ms === 'number' && ` · ${duration(command.duration_ms)}`}
        </span>
      </summary>
      <div className="py-1">
        <ClippedText clip={output} />
      </div>
    </details>
  );
}
