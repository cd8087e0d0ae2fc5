import { useFormContext } from 'react-hook-form';
import { CheckField, Form, LongTextField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Schemas, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button } from '../../ui/Button.tsx';
import type { Webhook } from './queries.ts';
import { eventsOf } from './words.ts';

const path = '/v3/organizations/{orgId}/webhooks';

interface WebhookValues {
  name: string;
  url: string;
  /** Types, one a line; empty: all. */
  events: string;
  enabled: boolean;
}

/** Kinds of events that people ask for first. */
const common = ['session.*', 'change_request.*', 'run.*', 'violation.*', 'automation.*'];

interface Props {
  org: string;
  /** The webhook that is changed; undefined for a new one. */
  before?: Tagged<Webhook>;
  created?: (hook: Schemas['WebhookWithSecret']) => unknown;
}

/** Makes a webhook, or changes one. */
export function WebhookForm({ org, before, created }: Props) {
  const form = useApiForm<WebhookValues, Schemas['WebhookWithSecret'] | Webhook>({
    values: {
      name: before?.name ?? '',
      url: before?.url ?? '',
      events: (before?.events ?? []).join('\n'),
      enabled: before?.enabled ?? true,
    },
    fieldOf: (at) => at.split('.')[0] ?? at,
    etag: before?.etag ?? '',
    call: ({ events, ...rest }, header) => {
      const body = { ...rest, url: rest.url.trim(), events: eventsOf(events) };
      return before === undefined
        ? unwrap(apiOf(org).POST(path, { body }))
        : unwrap(apiOf(org).PATCH(`${path}/{id}`, { params: { path: { id: before.id }, header }, body }));
    },
    touches: [keys.lists(org, 'webhooks'), ...(before === undefined ? [] : [keys.one(org, 'webhooks', before.id)])],
    says: before === undefined ? 'The webhook is created.' : 'The webhook is saved.',
    done: (hook) => ('secret' in hook ? created?.(hook) : undefined),
  });
  return (
    <Form of={form} action={before === undefined ? 'Create the webhook' : 'Save'}>
      <TextField name="url" label="URL" type="url" mono maxLength={2_000} placeholder="https://ci.example.com/hooks" />
      <TextField name="name" label="Name" maxLength={200} hint="For readers; may be empty." />
      <LongTextField
        name="events"
        label="Events"
        rows={3}
        mono
        placeholder="all events"
        hint="One type a line, such as session.created, or session.* for all of a resource. Empty: all that you may read."
      />
      <Common />
      <CheckField name="enabled" label="Send events" hint="Without it nothing is sent, and what is pending fails." />
    </Form>
  );
}

function Common() {
  const { getValues, setValue } = useFormContext<WebhookValues>();
  const add = (type: string) =>
    setValue('events', eventsOf(`${getValues('events')}\n${type}`).join('\n'), { shouldDirty: true });
  return (
    <p className="flex flex-wrap items-center gap-x-1 text-ink-3">
      Add:
      {common.map((type) => (
        <Button key={type} look="bare" className="mono h-6 px-1.5 font-normal" onClick={() => add(type)}>
          {type}
        </Button>
      ))}
    </p>
  );
}
