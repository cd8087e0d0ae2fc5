import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useEffect, useMemo, useState } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { duration } from '../../../../lib/format.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { Button, buttonClass } from '../../../../ui/Button.tsx';
import { cx } from '../../../../ui/cx.ts';
import { fieldClass } from '../../../../ui/Field.tsx';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { artifactUrl } from '../../artifacts.ts';
import { eventsQuery } from '../queries.ts';
import { shellCmd } from '../shell/useOpenShell.ts';
import { CallOutput } from './CallOutput.tsx';
import { commandsOf, type Command } from './commands.ts';
import { LiveBar } from './LiveBar.tsx';
import { OutputView } from './OutputView.tsx';
import { useWhole, type Source } from './useWhole.ts';

const ShellPart = lazy(async () => ({ default: (await import('../shell/ShellPart.tsx')).ShellPart }));

interface TabProps {
  org: string;
  session: Session;
}

/** All commands of a session and the whole output of one, or a person's own shell beside them. */
export function TerminalTab({ org, session }: TabProps) {
  const { cmd } = useSearch({ from: '/$org/sessions/$id' });
  if (cmd === shellCmd) return <ShellPart key={session.id} org={org} session={session} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <LiveBar org={org} session={session} />
      <Recorded org={org} session={session} cmd={cmd} />
    </div>
  );
}

function Recorded({ org, session, cmd }: TabProps & { cmd: string | undefined }) {
  const query = useInfiniteQuery(eventsQuery(org, session.id, { kind: 'command' }));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const isWorking = session.status === 'running';
  useEffect(() => {
    if (isWorking) void refetch();
  }, [isWorking, session.last_seq, refetch]);
  const all = useMemo(() => commandsOf(query.data?.pages.flatMap(({ items }) => items) ?? []), [query.data]);
  const isMissing = cmd !== undefined && !/^(?:art|call):/.test(cmd) && !all.some(({ id }) => id === cmd);
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isMissing, hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (cmd?.startsWith('art:') === true)
    return <Whole org={org} session={session} title="Full output" source={{ kind: 'artifact', id: cmd.slice(4) }} />;
  if (cmd?.startsWith('call:') === true) return <CallOutput org={org} session={session} call={cmd.slice(5)} />;
  if (query.isPending) return <SkeletonRows rows={8} height={28} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void refetch()} />;
  if (all.length === 0) return <Empty>No command has run yet. Commands and their whole output stand here.</Empty>;
  const open = all.find(({ id }) => id === cmd);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Commands
        all={all}
        open={open?.id}
        more={hasNextPage ? () => void fetchNextPage() : undefined}
        isReading={isFetchingNextPage}
      />
      {open !== undefined && <Whole org={org} session={session} title={`$ ${open.command}`} source={sourceOf(open)} />}
    </div>
  );
}

function sourceOf({ id, from, to, artifact }: Command): Source {
  return artifact === '' ? { kind: 'command', id, from, to } : { kind: 'artifact', id: artifact };
}

interface CommandsProps {
  all: readonly Command[];
  open: string | undefined;
  more: (() => void) | undefined;
  isReading: boolean;
}

function Commands({ all, open, more, isReading }: CommandsProps) {
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const [text, setText] = useState('');
  const shown = all.filter(({ command }) => command.toLowerCase().includes(text.trim().toLowerCase())).slice(-500);
  return (
    <div className={cx('flex min-h-0 flex-col', open === undefined ? 'flex-1' : 'max-h-[35%] shrink-0')}>
      <p className="px-4 py-1">
        <input
          type="search"
          aria-label="Find a command"
          placeholder="Find a command"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={cx(fieldClass, 'max-w-64')}
        />
      </p>
      <ul aria-label="Commands" className="min-h-0 overflow-auto border-b border-line">
        {shown.map(({ id, command, exit, durationMs }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === open ? 'true' : undefined}
              onClick={() =>
                void navigate({
                  search: ({ l: _lines, ...now }) => ({ ...now, tab: 'terminal' as const, cmd: id }),
                  hash: true,
                  replace: true,
                })
              }
              className={cx(
                'flex min-h-7 w-full items-center gap-2 px-4 text-left -outline-offset-2 pointer-coarse:min-h-11',
                id === open ? 'bg-accent-soft' : 'hover:bg-sunken',
              )}
            >
              <code className="min-w-0 flex-1 truncate">$ {command}</code>
              <span
                className={cx('mono text-meta', exit === null ? 'text-run' : exit === 0 ? 'text-ink-3' : 'text-bad')}
              >
                {exit === null ? 'runs' : `exit ${exit}`}
                {durationMs !== null && ` · ${duration(durationMs)}`}
              </span>
            </button>
          </li>
        ))}
        {shown.length === 0 && <li className="px-4 py-2 text-ink-3">No command has this text.</li>}
        {more !== undefined && (
          <li className="px-4 py-1">
            <Button look="bare" disabled={isReading} onClick={more}>
              Later commands
            </Button>
          </li>
        )}
      </ul>
    </div>
  );
}

interface WholeProps {
  org: string;
  session: Session;
  title: string;
  source: Source;
}

function Whole({ org, session, title, source }: WholeProps) {
  const isOpenEnd = source.kind === 'command' && source.to === undefined;
  const [again, setAgain] = useState(0);
  const { lines, isDone, isCut, error } = useWhole(org, session.id, source, isOpenEnd ? session.last_seq : again);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p className="flex items-center gap-2 px-4 pt-2">
        <code className="min-w-0 flex-1 truncate" title={title}>
          {title}
        </code>
        {source.kind === 'artifact' && (
          <a className={buttonClass('bare')} href={artifactUrl(org, session.id, source.id)} download="output.txt">
            Download
          </a>
        )}
      </p>
      {isCut && <p className="px-4 text-wait">This is the beginning. The file has the rest: download it.</p>}
      {error !== undefined ? (
        <Failed error={error} retry={() => setAgain((now) => now + 1)} />
      ) : lines.length === 0 ? (
        <p className="px-4 py-2 text-ink-3">{isDone ? 'No output.' : 'Reading …'}</p>
      ) : (
        <OutputView lines={lines} label="Output" />
      )}
    </div>
  );
}
