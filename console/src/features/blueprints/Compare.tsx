import { useQuery } from '@tanstack/react-query';
import { cx } from '../../ui/cx.ts';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { diffQuery, type Change } from './queries.ts';
import { textOf } from './range.ts';

interface Props {
  org: string;
  id: string;
  newest: number;
  range: { from: number; to: number };
  onChange: (from: number, to: number) => void;
}

const mostShown = 300;

/** What differs between two versions of a blueprint. */
export function Compare({ org, id, newest, range: { from, to }, onChange }: Props) {
  const query = useQuery(diffQuery(org, id, from, to));
  return (
    <Body>
      <div className="grid grid-cols-2 gap-4 sm:max-w-96">
        <Version label="From version" value={from} newest={newest} onChange={(next) => onChange(next, to)} />
        <Version label="To version" value={to} newest={newest} onChange={(next) => onChange(from, next)} />
      </div>
      <p className="max-w-[72ch] text-ink-3">
        Both have the MCP servers, skills, knowledge and sandbox that the organization gives its agents now.
      </p>
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <SkeletonRows rows={4} height={40} />}
      {query.data?.identical === true && <p className="text-read">Nothing differs.</p>}
      <ul aria-label="Changes">
        {query.data?.changes.slice(0, mostShown).map((change) => (
          <Row key={`${change.op} ${change.path}`} change={change} />
        ))}
      </ul>
      {(query.data?.changes.length ?? 0) > mostShown && (
        <p>And {(query.data?.changes.length ?? 0) - mostShown} more.</p>
      )}
    </Body>
  );
}

interface VersionProps {
  label: string;
  value: number;
  newest: number;
  onChange: (version: number) => void;
}

function Version({ label, value, newest, onChange }: VersionProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={1}
          max={newest}
          value={value}
          onChange={({ target }) => {
            const next = target.valueAsNumber;
            if (Number.isInteger(next) && next >= 1 && next <= newest) onChange(next);
          }}
          className={`${fieldClass} font-mono`}
        />
      )}
    </Field>
  );
}

const words = { add: 'Added', remove: 'Removed', replace: 'Changed' } as const;

function Row({ change: { op, path, from, value } }: { change: Change }) {
  return (
    <li className="flex flex-col gap-1 border-b border-line py-2">
      <p>
        {words[op]} <code className="break-all">{path}</code>
      </p>
      {op !== 'add' && <Value tone="bg-bad-soft" sign="−" value={from} />}
      {op !== 'remove' && <Value tone="bg-ok-soft" sign="+" value={value} />}
    </li>
  );
}

function Value({ tone, sign, value }: { tone: string; sign: string; value: unknown }) {
  return (
    <pre
      tabIndex={0}
      aria-label={sign === '+' ? 'After' : 'Before'}
      className={cx('max-h-64 overflow-y-auto rounded-control p-2 break-words whitespace-pre-wrap', tone)}
    >
      {sign} {textOf(value)}
    </pre>
  );
}
