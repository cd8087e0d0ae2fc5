import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  named,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Principal,
  record,
  Resource,
  Text,
  Timestamp,
  Title,
} from '../../http/schema.ts';

const reasons = ['', 'failures', 'gone', 'backlog'] as const;
export type DisabledReason = (typeof reasons)[number];
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

const fields = {
  id: Id,
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  disabled_reason: OneOf(reasons),
  failing_since: NullableTimestamp,
  created_by: Principal,
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Webhook = record('Webhook', Type.Object(fields));
export const WebhookWithSecret = named('WebhookWithSecret', Type.Object({ ...fields, secret: Type.String() }));

export const WebhookDelivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Id,
    webhook_id: Id,
    event_seq: Type.Integer(),
    type: Type.String(),
    resource: Resource(),
    state: OneOf(deliveryStates),
    attempts: Type.Integer(),
    next_attempt_at: NullableTimestamp,
    status_code: NullableInteger,
    problem: Type.String(),
    request_body: Type.String(),
    response_body: Type.String(),
    duration_ms: NullableInteger,
    attempt_log: Type.Array(
      Type.Object({
        at: Timestamp,
        status_code: NullableInteger,
        problem: Type.String(),
        duration_ms: Type.Integer(),
      }),
    ),
    created_at: Timestamp,
    ended_at: NullableTimestamp,
  }),
);

const url = Text(2_000, { minLength: 1 });
const name = Title(200);
const events = Type.Array(
  Text(100, { pattern: String.raw`^[a-z_]+\.([a-z_]+|\*)$`, 'x-form': 'a type of events, such as "session.created"' }),
  { maxItems: 100, uniqueItems: true },
);

export const CreateWebhook = Body({
  url,
  name: Type.Optional(name),
  events: Type.Optional(events),
  enabled: Type.Optional(Type.Boolean()),
});
export const UpdateWebhook = Body({
  url: Type.Optional(url),
  name: Type.Optional(name),
  events: Type.Optional(events),
  enabled: Type.Optional(Type.Boolean()),
});
export const RotateWebhookSecret = Body({
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});
export type CreateWebhook = Static<typeof CreateWebhook>;
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const shown = {
  name: 'For readers.',
  url: 'Where requests are sent: http or https, without credentials. Redirects are not followed.',
  events: 'Types of events, such as `session.created`, or `session.*` for all of a resource; `[]` is all.',
  enabled: 'False: nothing is sent.',
};
explain(['Webhook', 'WebhookWithSecret'], {
  ...shown,
  disabled_reason:
    'Why the platform disabled it: no success in 5 days (`failures`), a response 410 (`gone`), or too many pending ' +
    'deliveries (`backlog`); else "".',
  failing_since: 'The first failed attempt since the last success.',
});
explain('WebhookWithSecret', {
  secret: 'Signs requests by the Standard Webhooks specification: `whsec_…`. It is shown only once.',
});
explain('WebhookDelivery', {
  id: 'Also the `webhook-id` of its requests: the same for every attempt.',
  webhook_id: 'The webhook that it belongs to.',
  event_seq: "The event's number in the organization; 0 for a test.",
  type: 'The type of the event.',
  resource: 'The resource that the event is about.',
  'resource.type': 'The kind of resource, such as `session`.',
  state: '`pending`: another attempt follows. `failed`: none does.',
  attempts: 'Number of requests so far.',
  next_attempt_at: 'null while an earlier delivery for the same resource is pending, and after the end.',
  status_code: 'The last response; null if none came.',
  problem: 'Why the last attempt failed; "" if it did not.',
  request_body: 'The JSON that is sent.',
  response_body: 'The start of the last response, at most 4 KiB.',
  duration_ms: 'Duration of the last attempt.',
  attempt_log: 'The last 30 attempts that ended, oldest first.',
  'attempt_log.at': 'When it ended.',
  'attempt_log.status_code': 'The response; null if none came.',
  'attempt_log.problem': 'Why it failed; "" if it did not.',
  'attempt_log.duration_ms': 'Its duration.',
  ended_at: 'When it was delivered or failed permanently; null while it is pending.',
});
explain(['CreateWebhookRequest', 'UpdateWebhookRequest'], shown);
explain('RotateWebhookSecretRequest', {
  overlap_seconds: 'Seconds for which requests have a signature of the old secret too, at most a week.',
});
defaults('CreateWebhookRequest', { name: '', events: [], enabled: true });
defaults('RotateWebhookSecretRequest', { overlap_seconds: 86_400 });
