import { count, money } from '../../../../lib/format.ts';
import { newsWords } from '../../../follow/words.ts';
import { stateOf } from '../../state.ts';
import { clipOf } from '../clip.ts';
import { ClippedText } from '../ClippedText.tsx';
import type { Row, RowOf } from '../rows.ts';
import { ArtifactRow } from './ArtifactRow.tsx';
import { ChildRow } from './ChildRow.tsx';
import { Fold } from './Fold.tsx';
import { Line, Plan } from './Line.tsx';

interface Props {
  org: string;
  session: string;
  row: Row;
  /** What the agent asked before it began to wait; '' for nothing. */
  asked: string;
  isOpen: boolean;
  toggle: () => void;
}

const steps = {
  registries: 'Finding package registries',
  mirror: 'Updating the copy of',
  setup: 'Running the setup command of',
  checkpoint: 'Restoring earlier work',
  sandbox: 'Starting the sandbox',
  checkout: 'Checking out',
} as const;

/** The limits of a session; a warning explains others. */
const limitNames: Record<string, string> = {
  max_cost_usd: 'Limit of cost',
  max_tokens: 'Limit of tokens',
  max_minutes: 'Limit of minutes',
  max_turns: 'Limit of turns',
};

/** A row of one line, or of little more. */
export function OtherRow({ org, session, row, asked, isOpen, toggle }: Props) {
  switch (row.kind) {
    case 'plan':
      return <Plan entries={row.is.entries} />;
    case 'branch':
      return (
        <Line>
          Pushed <code>{row.is.branch}</code> to {row.is.repo}, <code>{row.is.commit.slice(0, 10)}</code>
        </Line>
      );
    case 'change_request':
      return (
        <Line>
          <span className="font-medium">Change request #{row.is.number}</span> of {row.is.repo}: {newsWords(row.is)}
        </Line>
      );
    case 'artifact':
      return <ArtifactRow org={org} session={session} row={row} />;
    case 'child':
      return <ChildRow org={org} id={row.is.session_id} />;
    case 'provisioning':
      return (
        <Line tone={row.is.status === 'failed' ? 'bad' : 'plain'}>
          {steps[row.is.step]} {row.is.subject}
          {row.is.status === 'failed' ? ` failed: ${row.is.summary}` : ' …'}
        </Line>
      );
    case 'status':
      return <Status is={row.is} asked={asked} />;
    case 'budget':
      return (
        <Line tone="wait">
          {limitNames[row.is.limit] ?? row.is.limit.replaceAll('_', ' ')}:{' '}
          {row.is.limit.endsWith('usd')
            ? `${money(row.is.used)} of ${money(row.is.allowed)}`
            : `${count(row.is.used)} of ${count(row.is.allowed)}`}
        </Line>
      );
    case 'warning':
    case 'error':
      return (
        <Line tone={row.kind === 'error' ? 'bad' : 'wait'}>
          {row.is.message} <code className="text-ink-3">{row.is.code}</code>
        </Line>
      );
    case 'structured_output':
      return (
        <Fold isOpen={isOpen} toggle={toggle} head={<span className="text-ink-2">Structured output</span>}>
          <ClippedText clip={clipOf(JSON.stringify(row.is.value, null, 2) ?? '')} />
        </Fold>
      );
    case 'message':
    case 'thought':
    case 'call':
    case 'command':
    case 'phase':
    case 'approval':
    case 'file':
    case 'usage':
    case 'checkpoint':
      return null;
  }
}

const longestQuestion = 300;

/** A state in which a session stopped; one that waits for an answer says what was asked. */
function Status({ is, asked }: { is: RowOf<'status'>['is']; asked: string }) {
  const { word, tone } = stateOf({ ...is, verification: '' });
  const end = asked.trim().slice(-longestQuestion);
  return (
    <Line tone={tone === 'wait' ? 'wait' : 'plain'}>
      {word}
      {end !== '' && (
        <>
          : <span className="text-ink">{end.length < asked.trim().length ? `… ${end}` : end}</span>
        </>
      )}
    </Line>
  );
}
