import { Type } from 'typebox';
import { Text } from '../../../http/schema.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';
import { defineNamespace } from './define.ts';
import { Item, SecretKey, Texts, Value, Word } from './fields.ts';

const events = Texts(
  50,
  100,
  '`session.needs_you`, `session.finished`, `session.failed`, `webhook.disabled`; [] is all.',
);

export const notifications = defineNamespace({
  value: Value({
    webhooks: Type.Array(
      Item({ url: Text(2_000, { minLength: 1, description: 'http or https, without credentials.' }), events }),
      { maxItems: 20, default: [] },
    ),
    slack: Value({
      secret: SecretKey("Key of the organization secret with the webhook's URL; '' is off."),
      channel: Word(100, "'' is the webhook's own channel."),
      events,
    }),
    email: Value({ recipients: Texts(100, 320, 'E-mail addresses; [] is off.'), events }),
  }),
  enforced: true,
  example: { email: { recipients: ['team@example.com'] } },
  problems: ({ webhooks, email }) => [
    ...webhooks.flatMap(({ url }, at) => webAddress(`/webhooks/${at}/url`, url)),
    ...email.recipients.flatMap((recipient, at) =>
      /^[^\s@]+@[^\s@]+$/.test(recipient)
        ? []
        : [{ path: `/email/recipients/${at}`, message: 'must be an e-mail address' }],
    ),
  ],
  secrets: ({ slack }) => [slack.secret],
});

function webAddress(path: string, text: string): SchemaProblem[] {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return [{ path, message: 'must be an http or https URL' }];
  if (url.username === '' && url.password === '') return [];
  return [{ path, message: 'must not contain credentials' }];
}
