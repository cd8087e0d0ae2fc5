import { duration } from '../../../../lib/format.ts';
import { cx } from '../../../../ui/cx.ts';
import { clipOf, omitted } from '../clip.ts';
import { ClippedText } from '../ClippedText.tsx';
import type { RowOf } from '../rows.ts';
import { Fold } from './Fold.tsx';
import { OutputTail } from './OutputTail.tsx';
import { visible } from '../../../../lib/visible.ts';

interface Opened {
  isOpen: boolean;
  toggle: () => void;
}

/** A tool call with its commands. */
export function CallRow({
  row,
  commands,
  isOpen,
  toggle,
}: Opened & { row: RowOf<'call'>; commands: readonly RowOf<'command'>[] }) {
  const { call, result, endedAt } = row.is;
  const state = result === undefined ? 'run' : result.ok ? 'ok' : 'bad';
  const took = result === undefined ? undefined : duration(Date.parse(endedAt) - Date.parse(row.at));
  return (
    <Fold
      isOpen={isOpen}
      toggle={toggle}
      aside={took}
      head={
        <>
          <State is={state} />
          <span className={cx('truncate', state === 'bad' ? 'text-bad' : 'text-ink-2')}>
            {visible(call?.title ?? 'A call that began earlier')}
          </span>
          {call !== undefined && !isPlain(call.name) && (
            <code className="hidden shrink-0 text-meta text-ink-3 sm:inline">{call.name.replace('__', ' › ')}</code>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-2 py-1 pr-3 pl-3">
        {call !== undefined && Object.keys(call.input).length > 0 && (
          <ClippedText clip={clipOf(JSON.stringify(call.input, null, 2))} />
        )}
        {commands.map((command) => (
          <Command key={command.key} row={command} />
        ))}
        {result !== undefined && commands.length === 0 && (
          <OutputTail clip={clipOf(result.output)} whole={row.key} isPart={(result.artifact_id ?? '') !== ''} />
        )}
      </div>
    </Fold>
  );
}

/** Tools whose title says enough. */
function isPlain(name: string): boolean {
  return ['read', 'write', 'edit', 'search', 'shell', 'plan', 'ask', 'submit_plan', 'set_check'].includes(name);
}

const marks = { run: '◐', ok: '✓', bad: '✕' } as const;
const words = { run: 'in progress', ok: 'done', bad: 'failed' } as const;

function State({ is }: { is: keyof typeof marks }) {
  return (
    <>
      <span aria-hidden className={cx('mono', is === 'bad' ? 'text-bad' : is === 'run' ? 'text-run' : 'text-ink-3')}>
        {marks[is]}
      </span>
      <span className="sr-only">{words[is]}</span>
    </>
  );
}

/** A command that belongs to no call. */
export function CommandRow({ row, isOpen, toggle }: Opened & { row: RowOf<'command'> }) {
  return (
    <Fold isOpen={isOpen} toggle={toggle} head={<CommandText row={row} />} aside={<Exit row={row} />}>
      <div className="py-1 pr-3">
        <Tail row={row} />
      </div>
    </Fold>
  );
}

function Command({ row }: { row: RowOf<'command'> }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-baseline gap-2">
        <CommandText row={row} />
        <Exit row={row} />
      </p>
      <Tail row={row} />
    </div>
  );
}

function Tail({ row: { is, key } }: { row: RowOf<'command'> }) {
  return (
    <OutputTail
      clip={is.output}
      whole={key.slice('cmd:'.length)}
      isPart={omitted(is.output) > 0 || (is.command?.artifact_id ?? '') !== ''}
    />
  );
}

function CommandText({ row }: { row: RowOf<'command'> }) {
  return <code className="min-w-0 flex-1 truncate">$ {visible(row.is.command?.command ?? '…')}</code>;
}

/** How a command ended, and how long it took. */
function Exit({ row: { is } }: { row: RowOf<'command'> }) {
  const exit = is.command?.exit_code ?? null;
  const took = is.command?.duration_ms;
  return (
    <span className={cx('mono text-meta whitespace-nowrap', exit === null ? 'text-run' : exit !== 0 && 'text-bad')}>
      {exit === null ? 'runs' : `exit ${exit}`}
      {typeof took === 'number' && ` · ${duration(took)}`}
    </span>
  );
}

/** What the agent thought: one line, and what it thinks now below it. */
export function ThoughtRow({ row, isOpen, toggle }: Opened & { row: RowOf<'thought'> }) {
  const { isDone, endedAt, text } = row.is;
  return (
    <Fold
      isOpen={isOpen}
      toggle={toggle}
      head={
        <span className="truncate text-ink-3">
          {isDone ? `Thought for ${duration(Date.parse(endedAt) - Date.parse(row.at))}` : 'Thinking …'}
        </span>
      }
    >
      <p className="max-w-[72ch] py-1 pr-3 break-words whitespace-pre-wrap text-ink-2">
        {omitted(text) > 0 ? `… ${text.tail}` : text.head + text.tail}
      </p>
    </Fold>
  );
}

/** The end of a thought that goes on, below its line. */
export function LiveThought({ row }: { row: RowOf<'thought'> }) {
  const { head, tail } = row.is.text;
  const end = (tail === '' ? head : tail).trimEnd().slice(-200);
  return <p className="line-clamp-2 max-w-[72ch] pr-3 pl-9 text-ink-3">{end}</p>;
}
