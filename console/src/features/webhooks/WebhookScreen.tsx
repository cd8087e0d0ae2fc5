import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Tagged } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { Chip } from '../../ui/Chip.tsx';
import { OneTimeSecret } from '../../ui/OneTimeSecret.tsx';
import { Body, Facts, Page, backLink } from '../../ui/Page.tsx';
import { Tabs, type Tab } from '../../ui/Tabs.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { Deliveries } from './Deliveries.tsx';
import { webhookQuery, type Webhook } from './queries.ts';
import { WebhookActions } from './WebhookActions.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { eventsWord, hookState } from './words.ts';

/** A webhook: how it is, its deliveries, and its definition. */
export function WebhookScreen() {
  const { org, id } = useParams({ from: '/$org/webhooks/$id' });
  return (
    <Guarded org={org} scope="org:read">
      <Loaded key={id} org={org} id={id} />
    </Guarded>
  );
}

function Loaded({ org, id }: { org: string; id: string }) {
  const query = useQuery(webhookQuery(org, id));
  const hook = query.data;
  if (hook === undefined || isGone(query.error)) return <Unread query={query} what="Webhook" />;
  return <Shown org={org} hook={hook} />;
}

function Shown({ org, hook }: { org: string; hook: Tagged<Webhook> }) {
  const { tab = 'deliveries' } = useSearch({ from: '/$org/webhooks/$id' });
  const navigate = useNavigate({ from: '/$org/webhooks/$id' });
  const canWrite = useCan(org, 'org:write');
  const [secret, setSecret] = useState<string>();
  const open = (delivery: string) => void navigate({ search: { tab: 'deliveries', delivery }, replace: true });
  const tabs: Tab<'deliveries' | 'edit'>[] = [
    { id: 'deliveries', label: 'Deliveries', content: () => <Deliveries org={org} hook={hook} canWrite={canWrite} /> },
  ];
  if (canWrite)
    tabs.push({
      id: 'edit',
      label: 'Edit',
      content: () => (
        <Body>
          <WebhookForm org={org} before={hook} />
        </Body>
      ),
    });
  return (
    <Page
      title={hook.name === '' ? hook.url : hook.name}
      back={
        <Link to="/$org/webhooks" params={{ org }} aria-label="All webhooks" className={backLink}>
          ‹
        </Link>
      }
      actions={canWrite && <WebhookActions org={org} hook={hook} tested={open} rotated={setSecret} />}
    >
      <div className="flex flex-col gap-4 px-4 pb-4 sm:px-6">
        <Facts
          facts={[
            [
              'State',
              <Chip key="state" tone={hookState(hook).tone}>
                {hookState(hook).word}
              </Chip>,
            ],
            ['URL', <code key="url">{hook.url}</code>],
            ['Events', eventsWord(hook.events)],
            ['Failing since', hook.failing_since === null ? undefined : <Time at={hook.failing_since} />],
          ]}
        />
        {secret !== undefined && (
          <OneTimeSecret label="The new secret" value={secret} note="For a day requests have signatures of both." />
        )}
      </div>
      <Tabs
        label="Webhook"
        value={tab}
        tabs={tabs}
        onChange={(next) => void navigate({ search: next === 'edit' ? { tab: 'edit' } : {}, replace: true })}
      />
    </Page>
  );
}
