import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Page, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { IpAccessForm } from './IpAccessForm.tsx';
import { TestAddress } from './TestAddress.tsx';
import { ipAccessQuery, ipCheckQuery, type IpAccessList } from './queries.ts';

/** The addresses from which the organization can be reached. */
export function IpAccessListScreen() {
  const { org } = useParams({ from: '/$org/ip-access-list' });
  return (
    <Guarded org={org} scope="org:read">
      <Page title="Access list">
        <AccessList org={org} />
      </Page>
    </Guarded>
  );
}

function AccessList({ org }: { org: string }) {
  const { ip } = useSearch({ from: '/$org/ip-access-list' });
  const navigate = useNavigate({ from: '/$org/ip-access-list' });
  const list = useQuery(ipAccessQuery(org));
  const { data: own } = useQuery(ipCheckQuery(org));
  const canChange = useCan(org, 'org:write');
  if (list.isPending) return <SkeletonRows rows={6} height={40} />;
  if (list.data === undefined) return <Failed error={list.error} retry={() => void list.refetch()} />;
  const { enabled, entries } = list.data;
  return (
    <Body>
      <p className="max-w-[72ch] text-read text-ink-2">
        {enabled
          ? 'Only these addresses reach the organization: in the browser, by the API, by git and by MCP.'
          : 'The list is off: every address reaches the organization.'}
        {own !== undefined && <Own ip={own.ip} matched={own.matched} />}
      </p>
      {canChange ? (
        <IpAccessForm org={org} list={list.data} ownIp={own?.ip ?? ''} />
      ) : (
        <>
          <Entries entries={entries} />
          <Needs org={org} scope="org:write" what="Changing the list" />
        </>
      )}
      <Section title="Test an address">
        <TestAddress
          key={ip}
          org={org}
          ip={ip}
          onChange={(next) => void navigate({ search: next === '' ? {} : { ip: next }, replace: true })}
        />
      </Section>
    </Body>
  );
}

function Own({ ip, matched }: { ip: string; matched: string }) {
  return (
    <>
      {' '}
      You are at <code>{ip}</code>:{' '}
      {matched === '' ? (
        'in none of the ranges'
      ) : (
        <>
          inside, by <code>{matched}</code>
        </>
      )}
      .
    </>
  );
}

function Entries({ entries }: Pick<IpAccessList, 'entries'>) {
  if (entries.length === 0) return <p className="text-ink-2">The list has no ranges.</p>;
  return (
    <ul aria-label="Ranges">
      {entries.map(({ id, cidr, note, created_at: at }) => (
        <li key={id} className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line">
          <code>{cidr}</code>
          <span className="min-w-0 flex-1 truncate text-ink-2">{note}</span>
          <span className="text-ink-3">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
