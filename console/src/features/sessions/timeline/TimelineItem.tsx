import { Link } from '@tanstack/react-router';
import { Copy, GitFork, Link as LinkIcon } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { copyText } from '../../../lib/copy.ts';
import { cx } from '../../../ui/cx.ts';
import { useCan } from '../../shell/useCan.ts';
import { useFork } from '../detail/useFork.ts';
import type { Item } from './items.ts';
import { ApprovalRow } from './rows/ApprovalRow.tsx';
import { MessageRow } from './rows/MessageRow.tsx';
import { OtherRow } from './rows/OtherRow.tsx';
import { PhaseRow } from './rows/PhaseRow.tsx';
import { FileChips, StepRow } from './rows/StepRow.tsx';
import { CallRow, CommandRow, LiveThought, ThoughtRow } from './rows/WorkRows.tsx';
import { plain } from './output.ts';
import { permalinkOf } from './place.ts';
import type { Row, RowOf } from './rows.ts';

interface Props {
  org: string;
  session: string;
  item: Item;
  /** The turn that begins with it. */
  turn: number | undefined;
  isTinted: boolean;
  /** Opens or closes what has this key. */
  toggle: (key: string, isOpen: boolean) => void;
}

/** One entry of the log, with its link and its copy at the right. */
export const TimelineItem = memo(
  (props: Props) => {
    const { item, isTinted } = props;
    const isNested = item.kind === 'row' && item.isNested;
    return (
      <div
        className={cx(
          'group relative rounded-chip transition-colors duration-180',
          isTinted && 'bg-accent-soft',
          isNested && 'ml-6 border-l border-line',
        )}
      >
        <Content {...props} />
        {item.kind === 'row' && <RowActions org={props.org} session={props.session} item={item} />}
      </div>
    );
  },
  (a, b) => a.turn === b.turn && a.isTinted === b.isTinted && a.toggle === b.toggle && isSame(a.item, b.item),
);

/** Rows keep their object as long as nothing comes to them; what is made of them is compared by its parts. */
function isSame(a: Item, b: Item): boolean {
  if (a === b) return true;
  if (a.kind === 'row' && b.kind === 'row')
    return (
      a.row === b.row &&
      a.isOpen === b.isOpen &&
      a.hides === b.hides &&
      a.asked === b.asked &&
      a.isNested === b.isNested &&
      a.commands.length === b.commands.length &&
      a.commands.every((command, at) => command === b.commands[at])
    );
  return a.kind === b.kind && JSON.stringify(a) === JSON.stringify(b);
}

function Content({ org, session, item, turn, toggle }: Props): ReactNode {
  if (item.kind === 'files') return <FileChips files={item.files} />;
  const { isOpen, key } = item;
  const flip = () => toggle(key, !isOpen);
  if (item.kind === 'step') return <StepRow step={item.step} isOpen={isOpen} toggle={flip} />;
  const { row, commands, hides, asked = '' } = item;
  const opened = { isOpen, toggle: flip };
  if (row.kind === 'message') return <MessageRow row={row} fold={{ turn, hides, ...opened }} />;
  if (row.kind === 'call') return <CallRow row={row} commands={commands} {...opened} />;
  if (row.kind === 'command') return <CommandRow row={row} {...opened} />;
  if (row.kind === 'phase') return <PhaseRow row={row} hides={hides} {...opened} />;
  if (row.kind === 'approval') return <ApprovalRow org={org} session={session} row={row} {...opened} />;
  if (row.kind !== 'thought') return <OtherRow org={org} session={session} row={row} asked={asked} {...opened} />;
  return (
    <>
      <ThoughtRow row={row} {...opened} />
      {!isOpen && !row.is.isDone && <LiveThought row={row} />}
    </>
  );
}

const actionClass =
  'grid size-6 place-items-center rounded-chip bg-canvas text-ink-3 hover:bg-sunken hover:text-ink pointer-coarse:size-11';

interface RowActionsProps extends Pick<Props, 'org' | 'session'> {
  item: Extract<Item, { kind: 'row' }>;
}

function RowActions({ org, session, item }: RowActionsProps) {
  const { row, commands } = item;
  const text = textOf(row, commands);
  // A finger has no hover: there, only what is read has actions, and they take room of their own.
  const isRead = row.kind === 'message' && row.is.role === 'agent';
  return (
    <div
      className={cx(
        'absolute top-0.5 right-1 flex gap-0.5 opacity-0 group-hover:opacity-100 focus-within:opacity-100',
        isRead ? 'pointer-coarse:static pointer-coarse:opacity-100' : 'pointer-coarse:hidden',
        'group-has-[[aria-expanded]]:right-32',
      )}
    >
      {text !== '' && (
        <button
          type="button"
          aria-label="Copy"
          title="Copy"
          className={actionClass}
          onClick={() => void copyText(text)}
        >
          <Copy size={14} strokeWidth={1.5} aria-hidden />
        </button>
      )}
      {isRead && <ForkButton org={org} session={session} seq={row.seq} />}
      <Link
        from="/$org/sessions/$id"
        search
        hash={`e${row.seq}`}
        replace
        resetScroll={false}
        aria-label="Link to this"
        title="Link to this"
        className={actionClass}
        onClick={() => void copyText(permalinkOf(row.seq), 'The link is copied')}
      >
        <LinkIcon size={14} strokeWidth={1.5} aria-hidden />
      </Link>
    </div>
  );
}

function ForkButton({ org, session, seq }: Pick<Props, 'org' | 'session'> & { seq: number }) {
  const canRun = useCan(org, 'run');
  const fork = useFork(org, session);
  return (
    canRun && (
      <button
        type="button"
        aria-label="Fork from here"
        title="Fork from here"
        disabled={fork.isPending}
        className={actionClass}
        onClick={() => fork.mutate(seq)}
      >
        <GitFork size={14} strokeWidth={1.5} aria-hidden />
      </button>
    )
  );
}

function textOf(row: Row, commands: readonly RowOf<'command'>[]): string {
  if (row.kind === 'message' || row.kind === 'thought') return row.is.text.head + row.is.text.tail;
  if (row.kind === 'command') {
    const { command, output } = row.is;
    return `$ ${command?.command ?? ''}\n${plain(output.head + output.tail)}`;
  }
  if (row.kind === 'call' && commands.length > 0) return commands.map((command) => textOf(command, [])).join('\n');
  if (row.kind === 'call') return plain(row.is.result?.output ?? row.is.call?.title ?? '');
  if (row.kind === 'warning' || row.kind === 'error') return row.is.message;
  return row.kind === 'structured_output' ? (JSON.stringify(row.is.value, null, 2) ?? '') : '';
}
