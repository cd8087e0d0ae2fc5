import { queryOptions, useQuery } from '@tanstack/react-query';
import { CheckField, Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, tagged, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Failed } from '../../ui/Notice.tsx';
import { Body } from '../../ui/Page.tsx';
import { choiceOf, valuesOf, type NotificationValues } from './notification-choice.ts';

const path = '/v3/self/preferences/{name}';
const target = { params: { path: { name: 'notifications' } } };

function notificationsQuery(org: string) {
  return queryOptions({
    queryKey: keys.one(org, 'preferences', 'notifications'),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(path, { ...target, signal })),
  });
}

/** What the person wants to be told of the sessions that they started. */
export function Notifications({ org }: { org: string }) {
  const query = useQuery(notificationsQuery(org));
  if (query.isPending) return null;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <Body>
      <NotificationsForm org={org} values={valuesOf(query.data.value)} etag={query.data.etag} />
    </Body>
  );
}

const groups = [
  {
    subject: 'a session',
    words: [
      ['needs_you', 'needs an approval, an answer or a larger budget'],
      ['finished', 'has finished'],
      ['failed', 'has failed'],
    ],
  },
  {
    subject: 'a change request',
    words: [
      ['change_needs_you', 'needs you'],
      ['change_ready', 'is ready to merge'],
      ['change_ended', 'was merged or closed'],
    ],
  },
] as const;

interface FormProps {
  org: string;
  values: NotificationValues;
  etag: string;
}

function NotificationsForm({ org, values, etag }: FormProps) {
  const form = useApiForm({
    values,
    etag,
    fieldOf: (field) => field.replace(/^value\./, '').replace(/^(email|slack)\..*/, '$1'),
    call: (chosen: NotificationValues, header) => {
      const params = { ...target.params, header };
      return unwrap(apiOf(org).PUT(path, { params, body: { value: choiceOf(chosen) } }));
    },
    touches: [keys.one(org, 'preferences', 'notifications')],
    says: 'Saved.',
  });
  return (
    <Form of={form} action="Save">
      <p className="text-ink-2">
        About sessions that you started, and the change requests that these follow. Several within half a minute come as
        one message, at most one every five minutes. Mail goes only to a verified address.
      </p>
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.flatMap(({ subject, words }) =>
          (['email', 'slack'] as const).map((way) => (
            <fieldset key={`${subject} ${way}`}>
              <legend className="pb-1 font-medium">
                {way === 'email' ? 'By mail' : 'In Slack'} when {subject}
              </legend>
              {words.map(([kind, word]) => (
                <CheckField key={kind} name={`${way}.${kind}`} label={word} />
              ))}
            </fieldset>
          )),
        )}
      </div>
      <TextField
        name="slack_secret"
        label="Secret with the address of the Slack webhook"
        hint="The key of a secret of your own, such as SLACK_WEBHOOK. Needed for messages in Slack."
        mono
        maxLength={256}
      />
    </Form>
  );
}
