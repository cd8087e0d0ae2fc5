import { Type } from 'typebox';
import { AnyObject, explain, Id, named, OneOf, Resource, Timestamp } from '../../http/schema.ts';

export const OrganizationEvent = named(
  'OrganizationEvent',
  Type.Object({
    seq: Type.Integer(),
    type: Type.String(),
    resource: Resource(),
    actor: Type.Object({
      type: OneOf(['user', 'service_user', 'app', 'session', 'system', 'provider']),
      id: Id,
      name: Type.String(),
    }),
    at: Timestamp,
    summary: AnyObject,
  }),
);

explain('OrganizationEvent', {
  seq: "The event's number in the organization. Hidden events leave gaps. Of `session.activity_changed`: the number of the last event before it.",
  type: '`<resource>.<past participle>`: `session.created`, `session.status_changed`, `change_request.merged`.',
  resource: 'The resource that it happened to. Read it for its current state.',
  'resource.type': 'The kind of resource, such as `session`.',
  actor: 'The principal that caused it; `system` is the platform itself.',
  'actor.type': 'The kind of principal.',
  'actor.name': 'The name of a user, a service user or an app; "" for others.',
  at: 'The time of the event.',
  summary:
    'Ids and statuses, by type. It never has a secret or text that users wrote. Only `session.activity_changed` has a text, in `activity`, like the session.',
});
