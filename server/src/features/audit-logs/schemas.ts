import { Type } from 'typebox';
import { AnyObject, explain, Id, ListQuery, named, OneOf, Text, Timestamp, TimestampInput } from '../../http/schema.ts';
import { breakReasons } from './verify.ts';

export const outcomes = ['success', 'denied', 'error'] as const;

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Id,
    seq: Type.Integer({ description: 'The place in the chain, from 1; 0 until the entry is linked, within a second.' }),
    action: Type.String(),
    actor: Type.Object({
      type: OneOf(['user', 'service_user', 'app', 'session', 'system']),
      id: Id,
      display: Type.String({ description: 'The e-mail address or name at that time.' }),
    }),
    resource: Type.Object({
      type: Type.String(),
      id: Type.String({ maxLength: 300, description: 'Its id, or its name where it has none: `local:acme/web`.' }),
    }),
    outcome: OneOf(outcomes),
    ip: Type.String(),
    user_agent: Type.String(),
    request_id: Type.String(),
    changes: AnyObject,
    created_at: Timestamp,
    prev_hash: Type.String({
      description: 'The hash of the link before; "" for the first one and until it is linked.',
    }),
    hash: Type.String({
      description:
        'SHA-256, in hexadecimal, of this entry without `hash` in the canonical form of RFC 8785; "" until it is linked.',
    }),
  }),
);

export const AuditActions = named(
  'AuditActions',
  Type.Object({ items: Type.Array(Type.String()), total: Type.Integer({ minimum: 0 }) }),
);

export const AuditVerification = named(
  'AuditVerification',
  Type.Object({
    valid: Type.Boolean(),
    checked: Type.Integer({ minimum: 0, description: 'How many links were recomputed.' }),
    pending: Type.Integer({ minimum: 0, description: 'How many entries wait for their link.' }),
    first_break: Type.Unsafe<{ seq: number; id: string; reason: (typeof breakReasons)[number] } | null>({
      type: ['object', 'null'],
      properties: {
        seq: Type.Integer({ description: '0 for an entry without a link.' }),
        id: Type.String({ description: 'The entry; "" where only its number is known.' }),
        reason: OneOf(breakReasons),
      },
      required: ['seq', 'id', 'reason'],
    }),
  }),
);

const several = 'One or several, separated by commas.';
const filters = {
  action: Type.Optional(Text(1_000, { description: several })),
  actor_id: Type.Optional(Text(1_000, { description: several })),
  resource_type: Type.Optional(Text(1_000, { description: several })),
  resource_id: Type.Optional(Text(1_000, { description: several })),
  outcome: Type.Optional(Text(100, { description: `${outcomes.join(', ')}, or several separated by commas.` })),
  created_after: Type.Optional(TimestampInput),
  created_before: Type.Optional(TimestampInput),
};
export const AuditQuery = ListQuery({
  ...filters,
  order: Type.Optional(OneOf(['asc', 'desc'], { description: 'Newest first (`desc`) unless told.' })),
});
export const AuditExportQuery = Type.Object(filters, { additionalProperties: false });

explain('AuditEntry', {
  action: 'What was done: one of `/audit-logs/actions`.',
  actor: 'Who did it.',
  'actor.type': 'A person, a service user, an app, a session, or the platform itself (`system`).',
  resource: 'What it was done to.',
  'resource.type': 'What kind of thing that is.',
  outcome: '`success`: it was done. `denied`: it was refused. `error`: it failed on our side.',
  ip: 'Where the request came from; "" for what the platform did itself.',
  user_agent: 'What the client calls itself; "" for none.',
  changes: 'What changed, with secrets masked; of refusals the code and how often.',
});
explain('AuditActions', {
  items: 'The actions, in the order of the alphabet.',
});
explain('AuditVerification', {
  valid: 'Whether the whole chain holds.',
  first_break: 'Where it stops to hold; null where it holds.',
  'first_break.reason':
    '`hash_mismatch`: the entry is not what it was when it was linked. `prev_hash_mismatch`: links were exchanged. `entry_missing`, `link_missing`: one is gone. `entry_not_linked`: an entry lost its link. `head_mismatch`: the end of the chain is gone.',
});
