import { Type } from 'typebox';
import { Text } from '../../../http/schema.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';
import { defineNamespace } from './define.ts';
import { Item, SecretKey, Texts, titled, Value, Word } from './fields.ts';

/** The kinds about a person's own sessions, and the change requests that these follow. */
export const personalKinds = [
  'session.needs_you',
  'session.finished',
  'session.failed',
  'change_request.needs_you',
  'change_request.ready',
  'change_request.ended',
] as const;
export const notificationKinds = [...personalKinds, 'webhook.disabled', 'webhook.delivery_failed'] as const;

const texts: Record<(typeof notificationKinds)[number], string> = {
  'session.needs_you': 'A session waits for an approval, an answer or a larger budget.',
  'session.finished': 'A session ended.',
  'session.failed': 'A session failed.',
  'change_request.needs_you': 'A change request that a session follows needs a person.',
  'change_request.ready': 'A change request that a session follows is ready to merge.',
  'change_request.ended': 'A change request that a session follows was merged or closed.',
  'webhook.disabled': 'A webhook was disabled after failures.',
  'webhook.delivery_failed': 'A delivery to a webhook failed permanently.',
};
const events = titled('Events', Texts(50, 100, 'The kinds of notifications that are sent; [] is all.'), { texts });

export const notifications = defineNamespace({
  title: 'Notifications',
  value: Value({
    webhooks: titled(
      'Web addresses',
      Type.Array(
        Item({
          url: titled('URL', Text(2_000, { minLength: 1, description: 'http or https, without credentials.' })),
          events,
        }),
        { maxItems: 20, default: [] },
      ),
    ),
    slack: titled(
      'Slack',
      Value({
        secret: titled('Secret', SecretKey("Key of the organization secret with the webhook's URL; '' is off."), {
          picker: 'secret',
        }),
        channel: titled('Channel', Word(100, "'' is the webhook's own channel.")),
        events,
      }),
    ),
    email: titled(
      'E-mail',
      Value({ recipients: titled('Recipients', Texts(100, 320, 'E-mail addresses; [] is off.')), events }),
    ),
  }),
  enforced: true,
  example: { email: { recipients: ['team@example.com'] } },
  problems: ({ webhooks, slack, email }) => [
    ...webhooks.flatMap(({ url, events: wanted }, at) => [
      ...webAddress(`/webhooks/${at}/url`, url),
      ...unknownKinds(`/webhooks/${at}/events`, wanted),
    ]),
    ...unknownKinds('/slack/events', slack.events),
    ...unknownKinds('/email/events', email.events),
    ...email.recipients.flatMap((recipient, at) =>
      /^[^\s@]+@[^\s@]+$/.test(recipient)
        ? []
        : [{ path: `/email/recipients/${at}`, message: 'must be an e-mail address' }],
    ),
  ],
  secrets: ({ slack }) => [slack.secret],
});

function unknownKinds(path: string, chosen: readonly string[]): SchemaProblem[] {
  const known: readonly string[] = notificationKinds;
  return chosen.flatMap((event, at) =>
    known.includes(event) ? [] : [{ path: `${path}/${at}`, message: `must be one of ${known.join(', ')}` }],
  );
}

function webAddress(path: string, text: string): SchemaProblem[] {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return [{ path, message: 'must be an http or https URL' }];
  if (url.username === '' && url.password === '') return [];
  return [{ path, message: 'must not contain credentials' }];
}
