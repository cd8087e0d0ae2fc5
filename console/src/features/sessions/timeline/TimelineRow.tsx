import { Link } from '@tanstack/react-router';
import { money } from '../../../lib/format.ts';
import { stateOf } from '../state.ts';
import { ApprovalRow } from './ApprovalRow.tsx';
import { CallRow, CommandRow } from './CallRow.tsx';
import { MessageRow, ThoughtRow } from './MessageRow.tsx';
import { Line, Plan } from './Line.tsx';
import { PhaseRow } from './PhaseRow.tsx';
import type { Row, RowOf } from './rows.ts';

interface Props {
  org: string;
  /** Its id. */
  session: string;
  row: Row;
  /** The commands of a call. */
  commands: readonly RowOf<'command'>[];
}

/** One row of the log, by its kind. */
export function TimelineRow({ org, session, row, commands }: Props) {
  switch (row.kind) {
    case 'message':
      return <MessageRow row={row} />;
    case 'thought':
      return <ThoughtRow row={row} />;
    case 'call':
      return <CallRow row={row} commands={commands} />;
    case 'command':
      return <CommandRow row={row} />;
    case 'phase':
      return <PhaseRow row={row} />;
    case 'approval':
      return <ApprovalRow org={org} session={session} row={row} />;
    case 'plan':
      return <Plan entries={row.is.entries} />;
    case 'file':
      return (
        <Line>
          ✎ <code>{row.is.path}</code> {row.is.change} <span className="mono text-ok">+{row.is.additions}</span>{' '}
          <span className="mono text-bad">−{row.is.deletions}</span>
        </Line>
      );
    case 'branch':
      return (
        <Line>
          Pushed <code>{row.is.branch}</code> to {row.is.repo}, <code>{row.is.commit.slice(0, 10)}</code>
        </Line>
      );
    case 'change_request':
      return (
        <Line>
          Change request #{row.is.number} of {row.is.repo}: {row.is.state}
        </Line>
      );
    case 'artifact':
      return (
        <Line>
          <a
            className="underline"
            href={`/v3/organizations/${org}/sessions/${session}/artifacts/${row.is.artifact_id}`}
          >
            {row.is.name}
          </a>
        </Line>
      );
    case 'child':
      return (
        <Line>
          Started{' '}
          <Link className="underline" to="/$org/sessions/$id" params={{ org, id: row.is.session_id }}>
            another session
          </Link>
        </Line>
      );
    case 'provisioning':
      return (
        <Line tone={row.is.status === 'failed' ? 'bad' : undefined}>
          {row.is.step} {row.is.subject} {row.is.summary}
        </Line>
      );
    case 'status':
      return <Line>{stateOf({ ...row.is, verification: '' }).word}</Line>;
    case 'budget':
      return (
        <Line tone="wait">
          {row.is.limit}:{' '}
          {row.is.limit.endsWith('usd')
            ? `${money(row.is.used)} of ${money(row.is.allowed)}`
            : `${row.is.used} of ${row.is.allowed}`}
        </Line>
      );
    case 'warning':
      return <Line tone="wait">{row.is.message}</Line>;
    case 'error':
      return <Line tone="bad">{row.is.message}</Line>;
    case 'structured_output':
      return (
        <details className="px-3 py-1">
          <summary className="text-ink-2">Structured output</summary>
          <pre className="overflow-x-auto rounded-control bg-sunken p-3">{JSON.stringify(row.is.value, null, 2)}</pre>
        </details>
      );
    case 'usage':
    case 'checkpoint':
      return null;
  }
}
