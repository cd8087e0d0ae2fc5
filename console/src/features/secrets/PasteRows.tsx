import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useLeaveGuard } from '../../forms/useLeaveGuard.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { failureOf, signInIfNeeded } from '../../lib/errors.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import { Failed } from '../../ui/Notice.tsx';
import type { EnvRow } from './env.ts';
import { secretsOfQuery, secretsPath, type Place, type Secret } from './queries.ts';
import { exposureOf } from './words.ts';

/** What came of storing a row. */
type Outcome = { id: string } | { problem: string };

/** The variables that were read, to be confirmed: names and lines, and whether each is new. Values are not shown. */
export function PasteRows({ org, rows, place }: { org: string; rows: readonly EnvRow[]; place: Place }) {
  const known = useQuery(secretsOfQuery(org, place));
  const client = useQueryClient();
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const isPlaced = place.scope !== 'repository' || place.repo !== '';
  const isStored = ({ line }: EnvRow) => isDone(outcomes.get(line));
  const chosen = rows.filter((row) => row.problem === '' && !left.has(row.line) && !isStored(row));
  useLeaveGuard(chosen.length > 0, 'What you pasted is not stored.');
  const existing = new Map(known.data?.map((secret) => [secret.key, secret]));
  const store = async () => {
    setBusy(true);
    for (const row of chosen) {
      const outcome = await storeRow(org, place, row, existing.get(row.key));
      setOutcomes((before) => new Map(before).set(row.line, outcome));
    }
    await client.invalidateQueries({ queryKey: keys.all(org, 'secrets') });
    setBusy(false);
  };
  const toggle = (line: number) => {
    const next = new Set(left);
    if (!next.delete(line)) next.add(line);
    setLeft(next);
  };
  if (known.isError) return <Failed error={known.error} retry={() => void known.refetch()} />;
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="Variables">
        {rows.map((row) => (
          <PasteRow
            key={row.line}
            row={row}
            isChosen={row.problem === '' && !left.has(row.line)}
            isFixed={isBusy || row.problem !== '' || isStored(row)}
            toggle={() => toggle(row.line)}
          >
            <State org={org} row={row} outcome={outcomes.get(row.line)} existing={existing.get(row.key)} />
          </PasteRow>
        ))}
      </ul>
      <p className="max-w-[72ch] text-ink-2">
        {exposureOf({ key: 'NAME', kind: 'env', exposure: 'sandbox', allowed_hosts: [] })} A secret’s page can keep its
        value outside.
      </p>
      <p>
        <Button
          look="primary"
          onClick={() => void store()}
          disabled={isBusy || chosen.length === 0 || !isPlaced || !known.isSuccess}
        >
          {isBusy ? 'Storing …' : chosen.length === 1 ? 'Store 1 secret' : `Store ${chosen.length} secrets`}
        </Button>
      </p>
    </div>
  );
}

interface RowProps {
  row: EnvRow;
  isChosen: boolean;
  isFixed: boolean;
  toggle: () => void;
  children: ReactNode;
}

function PasteRow({ row: { key, line }, isChosen, isFixed, toggle, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 border-b border-line">
      <label className="flex min-h-8 min-w-0 flex-1 basis-48 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isFixed}
          onChange={toggle}
          className="size-4 accent-accent"
        />
        <code className="min-w-0 truncate" title={key}>
          {key}
        </code>
      </label>
      <span className="text-meta text-ink-3">line {line}</span>
      <span className="basis-64 text-ink-2">{children}</span>
    </li>
  );
}

interface StateProps {
  org: string;
  row: EnvRow;
  outcome: Outcome | undefined;
  existing: Secret | undefined;
}

function State({ org, row, outcome, existing }: StateProps) {
  if (outcome !== undefined && 'problem' in outcome) return <span className="text-bad">{outcome.problem}</span>;
  if (outcome !== undefined)
    return (
      <>
        stored:{' '}
        <Link to="/$org/secrets/$id" params={{ org, id: outcome.id }} className="underline">
          its page
        </Link>
      </>
    );
  if (row.problem !== '') return <span className="text-bad">{row.problem}</span>;
  return existing === undefined ? 'new' : `replaces version ${existing.version}`;
}

function isDone(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && 'id' in outcome;
}

/** Stores a variable; what exists gets a new version and keeps how sessions get it. */
async function storeRow(
  org: string,
  { scope, repo }: Place,
  { key, value }: EnvRow,
  existing: Secret | undefined,
): Promise<Outcome> {
  try {
    if (existing !== undefined) {
      const params = { path: { id: existing.id } };
      return await unwrap(apiOf(org).PUT(`${secretsPath}/{id}`, { params, body: { value } }));
    }
    const place = scope === 'repository' ? { scope, repo } : { scope };
    return await unwrap(apiOf(org).POST(secretsPath, { body: { key, value, ...place } }));
  } catch (error) {
    signInIfNeeded(error);
    return { problem: failureOf(error).message };
  }
}
