import { Type } from 'typebox';
import { AnyObject, Id, ListQuery, named, OneOf, Text, Timestamp, TimestampInput } from '../../http/schema.ts';
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
