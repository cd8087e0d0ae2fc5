import { Type } from 'typebox';
import {
  AnyObject,
  explain,
  Id,
  ListQuery,
  named,
  OneOf,
  Resource,
  Text,
  Timestamp,
  TimestampInput,
} from '../../http/schema.ts';
import { breakReasons } from './verify.ts';

export const outcomes = ['success', 'denied', 'error'] as const;

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Id,
    seq: Type.Integer({ description: 'Position in the chain, from 1; 0 until the entry is linked, within a second.' }),
    action: Type.String(),
    actor: Type.Object({
      type: OneOf(['user', 'service_user', 'app', 'session', 'system']),
      id: Id,
      display: Type.String({ description: 'The e-mail address or name at that time.' }),
    }),
    resource: Resource(),
    outcome: OneOf(outcomes),
    ip: Type.String(),
    user_agent: Type.String(),
    request_id: Type.String(),
    changes: AnyObject,
    created_at: Timestamp,
    prev_hash: Type.String({
      description: 'Hash of the previous link; "" for the first one and until the entry is linked.',
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
    checked: Type.Integer({ minimum: 0, description: 'Number of recomputed links.' }),
    pending: Type.Integer({ minimum: 0, description: 'Number of entries that are not linked yet.' }),
    first_break: Type.Unsafe<{ seq: number; id: string; reason: (typeof breakReasons)[number] } | null>({
      type: ['object', 'null'],
      properties: {
        seq: Type.Integer({ description: '0 for an entry without a link.' }),
        id: Type.String({ description: 'The entry; "" if only its number is known.' }),
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
  order: Type.Optional(OneOf(['asc', 'desc'], { description: 'Newest first (`desc`) by default.' })),
});
export const AuditExportQuery = Type.Object(filters, { additionalProperties: false });

explain('AuditEntry', {
  action: 'The action: one of `/audit-logs/actions`.',
  actor: 'The actor.',
  'actor.type': 'A user, a service user, an app, a session, or the platform itself (`system`).',
  resource: 'The affected resource.',
  'resource.type': 'Type of the resource.',
  outcome: '`success`: it was done. `denied`: it was rejected. `error`: the server failed.',
  ip: 'IP address of the request; "" for an action of the platform itself.',
  user_agent: 'User agent of the client; "" for none.',
  changes:
    'The changes by field, with secrets masked; the fields depend on `action`. For denied requests `{count, codes, request, last_at}`: their number, that of each error code, the operation, and the time of the last one.',
});
explain('AuditActions', {
  items: 'The actions, in alphabetical order.',
});
explain('AuditVerification', {
  valid: 'True if the whole chain is intact.',
  first_break: 'The first break; null if there is none.',
  'first_break.reason':
    '`hash_mismatch`: the entry was changed after it was linked. `prev_hash_mismatch`: links were exchanged. `entry_missing`, `link_missing`: one was deleted. `entry_not_linked`: an entry lost its link. `head_mismatch`: the end of the chain was deleted.',
});
