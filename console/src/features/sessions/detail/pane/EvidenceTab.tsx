import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { duration, money } from '../../../../lib/format.ts';
import { cx } from '../../../../ui/cx.ts';
import { AlteredTests } from '../../../../ui/diff/AlteredTests.tsx';
import { Empty } from '../../../../ui/Notice.tsx';
import { OutputLine } from '../../timeline/OutputLine.tsx';
import { linesOf, plain } from '../../timeline/output.ts';
import { changesQuery } from '../queries.ts';

type Phase = Session['phases'][number];
type Evidence = Phase['evidence'][number];

/** The proof: the same check before and after the work, side by side. */
export function EvidenceTab({ org, session }: { org: string; session: Session }) {
  const before = session.phases.find(({ name }) => name === 'reproduce');
  const after = session.phases.find(({ name }) => name === 'verify');
  const commands = commandsOf(before, after);
  const others = session.phases.flatMap(({ name, evidence }) =>
    evidence.filter(({ kind }) => kind !== 'command').map((one) => ({ name, one })),
  );
  const summary = [after, before].map((phase) => phase?.summary ?? '').find((text) => text !== '');
  const isKnown = commands.length > 0 || others.length > 0 || verdicts[session.verification] !== '';
  if (!isKnown && summary === undefined)
    return <Empty>No check has ended yet. When it ran before and after the work, both runs stand here.</Empty>;
  return (
    <div className="flex flex-col gap-6 overflow-auto px-4 py-4">
      <Verdict session={session} />
      <Altered org={org} id={session.id} />
      {commands.map((command) => (
        <section key={command} aria-label={command} className="flex flex-col gap-2">
          <h3 className="font-mono font-medium break-all">$ {command}</h3>
          <Runs before={runOf(before, command)} after={runOf(after, command)} phases={[before, after]} />
        </section>
      ))}
      {commands.length === 0 && <p className="text-ink-2">{summary}</p>}
      {others.length > 0 && (
        <ul aria-label="Other evidence" className="flex flex-col gap-1">
          {others.map(({ name, one }, at) => (
            <li key={at} className="flex gap-2 break-words">
              <span className="w-20 shrink-0 text-ink-3">{name}</span>
              <span className="min-w-0">
                {one.kind === 'file' ? <code>{one.command}</code> : one.command}
                {one.output_tail !== '' && <span className="text-ink-2"> {one.output_tail.slice(0, 2_000)}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The tests that the session has changed, each with the way to its lines. */
function Altered({ org, id }: { org: string; id: string }) {
  const { data } = useQuery(changesQuery(org, id));
  return (
    <AlteredTests
      files={data?.files ?? []}
      renderName={({ path }) => (
        <Link
          from="/$org/sessions/$id"
          search={({ l: _lines, since: _since, ...now }) => ({ ...now, tab: 'changes' as const, file: path })}
          hash
          className="inline-flex min-h-6 items-center break-all underline pointer-coarse:min-h-11"
        >
          {path}
        </Link>
      )}
    />
  );
}

const verdicts: Record<Session['verification'], string> = {
  fixed: 'The check failed before the work and passes after it.',
  not_reproduced: 'The check passed already before the work, so it proves nothing about it.',
  no_check: 'Nothing was checked: there is no check command.',
  could_not_run: 'The check could not run, so it proves nothing.',
  failed: 'The check still fails after the work.',
  '': '',
};

function Verdict({ session: { verification, usage } }: { session: Session }) {
  const text = verdicts[verification];
  if (text === '') return null;
  const tone = verification === 'fixed' ? 'text-ok' : verification === 'failed' ? 'text-bad' : 'text-ink-2';
  return (
    <p className={cx('text-read font-medium', tone)}>
      {verification === 'fixed' ? '✓ ' : ''}
      {text} <span className="mono text-base font-normal text-ink-3">{money(usage.cost_usd)}</span>
    </p>
  );
}

function commandsOf(...phases: (Phase | undefined)[]): string[] {
  const all = phases.flatMap((phase) => phase?.evidence.filter(({ kind }) => kind === 'command') ?? []);
  return [...new Set(all.map(({ command }) => command))];
}

function runOf(phase: Phase | undefined, command: string): Evidence | undefined {
  return phase?.evidence.findLast((one) => one.kind === 'command' && one.command === command);
}

function Runs({
  before,
  after,
  phases: [first, second],
}: {
  before: Evidence | undefined;
  after: Evidence | undefined;
  phases: [Phase | undefined, Phase | undefined];
}) {
  const [left, right] = useMemo(() => [outputOf(before), outputOf(after)], [before, after]);
  return (
    <div className="grid gap-px overflow-hidden rounded-control border border-line bg-line @2xl/pane:grid-cols-2">
      <Run title="Before" run={before} phase={first} lines={left} others={right} />
      <Run title="After" run={after} phase={second} lines={right} others={left} />
    </div>
  );
}

function outputOf(run: Evidence | undefined): string[] {
  return run === undefined ? [] : linesOf(run.output_tail).slice(-200);
}

interface RunProps {
  title: string;
  run: Evidence | undefined;
  phase: Phase | undefined;
  lines: readonly string[];
  /** The lines of the other run: what is not among them is marked. */
  others: readonly string[];
}

function Run({ title, run, phase, lines, others }: RunProps) {
  const known = useMemo(() => new Set(others.map(comparable)), [others]);
  const exit = run?.exit_code ?? null;
  return (
    <div className="flex min-w-0 flex-col bg-canvas">
      <p className="flex items-baseline gap-2 px-3 py-1">
        <span className="font-medium">{title}</span>
        {run !== undefined && (
          <span className={cx('mono', exit === 0 ? 'text-ok' : 'text-bad')}>
            {exit === null ? 'did not run' : `exit ${exit}`} · {duration(run.duration_ms)}
          </span>
        )}
      </p>
      {run === undefined ? (
        <p className="px-3 pb-2 text-ink-3">
          {phase === undefined || phase.status === 'running' ? 'Not run yet.' : phase.summary}
        </p>
      ) : (
        <>
          {run.problem !== undefined && <p className="px-3 pb-1 text-bad">{run.problem}</p>}
          {lines.length === 0 ? (
            <p className="flex-1 px-3 pb-2 text-ink-3">No output.</p>
          ) : (
            <pre className="max-h-[60vh] flex-1 overflow-auto bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
              {lines.map((line, at) => (
                <div
                  key={at}
                  className={cx(
                    '-mx-1 px-1',
                    others.length > 0 && !known.has(comparable(line)) && 'border-l-2 border-line-strong bg-canvas',
                  )}
                >
                  <OutputLine line={line.slice(0, 4_000)} />
                </div>
              ))}
            </pre>
          )}
          {(run.artifact_id ?? '') !== '' && (
            <Link
              from="/$org/sessions/$id"
              search={({ l: _lines, ...now }) => ({ ...now, tab: 'terminal' as const, cmd: `art:${run.artifact_id}` })}
              hash
              className="inline-flex min-h-6 items-center px-3 text-accent underline pointer-coarse:min-h-11"
            >
              Full output
            </Link>
          )}
        </>
      )}
    </div>
  );
}

/** Times and numbers differ from run to run, and are no difference. */
function comparable(line: string): string {
  return plain(line).slice(0, 1_000).replaceAll(/\d+/g, '0').trim();
}
