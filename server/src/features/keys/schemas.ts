import { Type, type Static } from 'typebox';
import { Body, Id, Name, NullableTimestamp, OneOf, Text, Timestamp, TimestampInput } from '../../http/schema.ts';
import { scopes } from '../../lib/scopes.ts';

/** Fields of every kind of key; never the key itself. */
export const keyFields = {
  id: Id,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  prefix: Type.String(),
  last4: Type.String(),
  ip_ranges: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp,
  revoked_at: NullableTimestamp,
  created_by_key: Type.String({
    description: 'The key that created it, and whose revocation revokes it; "" for a sign-in or the operator.',
  }),
};

/** Shown once, in the response that creates the key. */
export const issuedField = { key: Type.String({ description: 'The key itself. It is shown only once.' }) };

export const createKeyFields = {
  name: Name(100),
  scopes: Type.Array(OneOf(scopes), {
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    description: "The key's scopes: at least one, and none that the calling key lacks.",
  }),
  expires_at: Type.Optional({
    ...TimestampInput,
    description: 'When it expires, in the future. By default it expires with the calling key, if that expires.',
  }),
  ip_ranges: Type.Optional(
    Type.Array(Text(64), {
      maxItems: 50,
      description: 'CIDR ranges that the key works from; by default, or with `[]`, those of the calling key.',
    }),
  ),
};
export const CreateKey = Body(createKeyFields);
export type CreateKey = Static<typeof CreateKey>;

export const RotateKey = Body({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 0,
      description: 'Seconds for which the old key still works, at most a week.',
    }),
  ),
});

/** Query of operations that revoke a key. */
export const RevokeQuery = Type.Object(
  {
    made: Type.Optional(
      OneOf(['revoke', 'keep'], { description: 'Also revoke what the key created; default `revoke`.' }),
    ),
  },
  { additionalProperties: false },
);
export type RevokeQuery = Static<typeof RevokeQuery>;

export const keyStatuses = ['active', 'revoked', 'expired'] as const;
export const keyFilters = { status: Type.Optional(Text(100, { description: 'active, revoked, expired' })) };
