import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { fieldsOf } from '../../forms/schema/shape.ts';
import { ApiError } from '../../lib/api.ts';
import { isGone } from '../../lib/errors.ts';
import { Failed } from '../../ui/Notice.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { useCan } from '../shell/useCan.ts';
import { chosenOf, type SettingsRecord } from './draft.ts';
import { namespaceQuery, schemaQuery, settingsQuery } from './queries.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { SettingsNav } from './SettingsList.tsx';
import { SettingsText } from './SettingsText.tsx';

/** One namespace of the settings: a form, or its values for who may not change them. */
export function NamespaceScreen() {
  const { org, namespace } = useParams({ from: '/$org/settings/$namespace' });
  return (
    <Guarded org={org} scope="org:read">
      <Namespace key={namespace} org={org} namespace={namespace} />
    </Guarded>
  );
}

function Namespace({ org, namespace }: { org: string; namespace: string }) {
  const { data: all = [] } = useQuery(settingsQuery(org));
  const record = useQuery(namespaceQuery(org, namespace));
  const schema = useQuery(schemaQuery(org, namespace));
  const fields = useMemo(() => fieldsOf(schema.data), [schema.data]);
  const canChange = useCan(org, 'org:write');
  const error = record.error ?? schema.error;
  if (isGone(error) || (error instanceof ApiError && error.code === 'unknown_namespace')) return <NotHere />;
  const title = [record.data, ...all].find((one) => one?.namespace === namespace)?.title ?? 'Settings';
  const isReady = record.data !== undefined && schema.data !== undefined;
  return (
    <div className="flex flex-1">
      <SettingsNav org={org} all={all} />
      <div className="flex min-w-0 flex-1 flex-col">
        <Page
          title={title}
          tab={`${title} settings`}
          back={
            <Link to="/$org/settings" params={{ org }} aria-label="All settings" className={backLink}>
              ‹
            </Link>
          }
          actions={record.data !== undefined && <LastChange org={org} record={record.data} />}
        >
          {!isReady && error === null && <SkeletonRows rows={6} height={80} />}
          {!isReady && error !== null && (
            <Failed error={error} retry={() => void Promise.all([record.refetch(), schema.refetch()])} />
          )}
          {isReady && canChange && <SettingsForm org={org} fields={fields} latest={record.data} />}
          {isReady && !canChange && (
            <Body>
              <Needs org={org} scope="org:write" what="Changing this" />
              <SettingsText fields={fields} chosen={chosenOf(record.data)} />
            </Body>
          )}
        </Page>
      </div>
    </div>
  );
}

function LastChange({ org, record }: { org: string; record: SettingsRecord }) {
  const { updated_at: at, updated_by: by } = record;
  if (at === null) return <p className="text-ink-3">never changed</p>;
  return (
    <p className="text-ink-3">
      last changed{by !== null && by.name !== '' ? ` by ${by.name}` : ''}, <Time at={at} />
      {' · '}
      <Link
        to="/$org/audit-logs"
        params={{ org }}
        search={{ resource_type: 'settings', resource_id: record.namespace }}
        className="inline-block min-h-6 underline hover:text-ink pointer-coarse:leading-[44px]"
      >
        audit
      </Link>
    </p>
  );
}
