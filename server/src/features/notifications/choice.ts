import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { Body, OneOf } from '../../http/schema.ts';
import { FieldError } from '../../lib/field-error.ts';
import { schemaProblems } from '../../lib/schema-problems.ts';
import { personalKinds, type notificationKinds } from '../settings/namespaces/notifications.ts';

export type NotificationKind = (typeof notificationKinds)[number];

/** Returns true for a notice about a webhook, which administrators always get. */
export function isNotice(kind: NotificationKind): kind is Extract<NotificationKind, `webhook.${string}`> {
  return kind.startsWith('webhook.');
}

const chosen = Type.Array(OneOf(personalKinds), { maxItems: personalKinds.length, uniqueItems: true, default: [] });

/** The preference `notifications`: what a user wants to know of the sessions that they started, and of the change requests that these follow. */
const Choice = Body({
  email: chosen,
  slack: chosen,
  slack_secret: Type.String({ maxLength: 256, pattern: '^([A-Za-z_][A-Za-z0-9_]*)?$', default: '' }),
});
export type Choice = Static<typeof Choice>;

/** Returns the whole choice. Throws 400 that names the problem. */
export function parseChoice(value: unknown): Choice {
  const whole: unknown = Value.Default(Choice, structuredClone(value));
  if (Value.Check(Choice, whole)) return whole;
  throw new FieldError(schemaProblems(Choice, whole).map((problem) => ({ ...problem, path: `/value${problem.path}` })));
}

/** Returns a stored choice; nothing is chosen by default. */
export function storedChoice(value: unknown): Choice {
  const whole: unknown = Value.Default(Choice, structuredClone(value ?? {}));
  return Value.Check(Choice, whole) ? whole : { email: [], slack: [], slack_secret: '' };
}
