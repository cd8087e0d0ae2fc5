import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isGone } from '../../lib/errors.ts';
import { Chip } from '../../ui/Chip.tsx';
import { cx } from '../../ui/cx.ts';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Facts, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { ExactTime } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { changesOf, valueText, type Change } from './changes.ts';
import { resourcesIn } from './names.ts';
import { auditEntryQuery, earlierQuery, type AuditEntry } from './queries.ts';
import { useNames } from './useNames.ts';
import { outcomeTones, outcomeWords } from './words.ts';

/** An entry of the audit log, with what it changed. */
export function AuditEntryScreen() {
  const { org, id } = useParams({ from: '/$org/audit-logs/$id' });
  const entry = useQuery(auditEntryQuery(org, id));
  if (isGone(entry.error)) return <NotHere />;
  return (
    <Guarded org={org} scope="org:read">
      <Page
        title={entry.data?.action ?? 'Audit entry'}
        back={
          <Link to="/$org/audit-logs" params={{ org }} search={{}} className={backLink} aria-label="Audit log">
            ‹
          </Link>
        }
      >
        {entry.isPending && <SkeletonRows rows={8} height={32} />}
        {entry.isError && <Failed error={entry.error} retry={() => void entry.refetch()} />}
        {entry.isSuccess && <Details org={org} entry={entry.data} />}
      </Page>
    </Guarded>
  );
}

const linkClass = 'break-all text-accent underline';

function Details({ org, entry }: { org: string; entry: AuditEntry }) {
  const { actor, resource, outcome, seq, hash, prev_hash: prev, request_id: requestId } = entry;
  const names = useNames(org, [entry], resourcesIn(entry.changes));
  const known = (text: string) => (text === '' ? undefined : <code className="break-all">{text}</code>);
  return (
    <Body>
      <Facts
        facts={[
          ['When', <ExactTime key="at" at={entry.created_at} />],
          [
            'Who',
            <Named key="actor" id={actor.id} name={actor.display}>
              {(text) => (
                <Link to="/$org/audit-logs" params={{ org }} search={{ actor_id: actor.id }} className={linkClass}>
                  {text}
                </Link>
              )}
            </Named>,
          ],
          [
            'To',
            <Named key="resource" id={resource.id} name={names.get(resource.id)}>
              {(text) => (
                <Link
                  to="/$org/audit-logs"
                  params={{ org }}
                  search={{ resource_type: resource.type, resource_id: resource.id }}
                  className={linkClass}
                >
                  {resource.type} {text}
                </Link>
              )}
            </Named>,
          ],
          [
            'Outcome',
            <Chip key="outcome" tone={outcomeTones[outcome]}>
              {outcomeWords[outcome]}
            </Chip>,
          ],
          ['From', known(entry.ip)],
          ['Program', known(entry.user_agent)],
          ['Request', known(requestId)],
        ]}
      />
      <Section title="What changed">
        <Changes org={org} entry={entry} names={names} />
      </Section>
      <Section title="Place in the chain">
        {seq === 0 ? (
          <p className="text-ink-2">Not linked yet: this happens within a second.</p>
        ) : (
          <Facts
            facts={[
              ['Number', <code key="seq">#{seq}</code>],
              ['Hash', known(hash)],
              ['Hash before', known(prev)],
            ]}
          />
        )}
      </Section>
    </Body>
  );
}

/** A link by its name, with the id beside it; by its id where it has no name. */
function Named({
  id,
  name = '',
  children,
}: {
  id: string;
  name?: string | undefined;
  children: (text: string) => ReactNode;
}) {
  if (name === '' || name === id) return children(id);
  return (
    <>
      {children(name)} <code className="text-meta break-all text-ink-3">{id}</code>
    </>
  );
}

type Names = ReadonlyMap<string, string>;

function Changes({ org, entry, names }: { org: string; entry: AuditEntry; names: Names }) {
  const earlier = useQuery({ ...earlierQuery(org, entry), enabled: entry.outcome === 'success' });
  const changes = changesOf(entry, earlier.data ?? []);
  if (changes.length === 0) return <p className="text-ink-2">The entry names no fields.</p>;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Changed fields">
      <table className="w-full table-fixed sm:min-w-[480px] text-left">
        <thead>
          <tr className="border-b border-line text-meta text-ink-3">
            <th scope="col" className="w-1/4 py-1 pr-3 font-normal">
              Field
            </th>
            <th scope="col" className="py-1 pr-3 font-normal">
              Before
            </th>
            <th scope="col" className="py-1 font-normal">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <ChangeRow key={change.field} org={org} change={change} names={names} isKnown={earlier.isSuccess} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  org: string;
  change: Change;
  names: Names;
  /** True if earlier entries were read. */
  isKnown: boolean;
}

function ChangeRow({ org, change, names, isKnown }: RowProps) {
  const { field, before, after } = change;
  return (
    <tr className="border-b border-line align-top">
      <th scope="row" className="py-1 pr-3 font-normal break-all">
        <code>{field}</code>
      </th>
      <td className="py-1 pr-3">
        {before === undefined ? (
          <span className="text-ink-3">{isKnown ? 'not in an earlier entry' : '–'}</span>
        ) : (
          <>
            <Value value={before.value} names={names} />
            <Link
              to="/$org/audit-logs/$id"
              params={{ org, id: before.entry }}
              className="text-meta text-accent underline"
            >
              entry
            </Link>
          </>
        )}
      </td>
      <td className="py-1">
        <Value value={after} names={names} />
      </td>
    </tr>
  );
}

function Value({ value, names }: { value: unknown; names: Names }) {
  const text = valueText(value);
  const name = names.get(text);
  return (
    <>
      {name !== undefined && <p className="break-words">{name}</p>}
      <pre className={cx('break-all whitespace-pre-wrap', name !== undefined && 'text-meta text-ink-3')}>
        {text === '' ? '""' : text}
      </pre>
    </>
  );
}
