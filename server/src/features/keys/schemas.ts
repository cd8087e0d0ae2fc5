import { Type, type Static } from 'typebox';
import { Body, Id, Name, NullableTimestamp, OneOf, Text, Timestamp, TimestampInput } from '../../http/schema.ts';
import { scopes } from '../../lib/scopes.ts';

/** The fields that every kind of key shows; the key itself is never among them. */
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
    description: 'The key that made it, which takes it along when it is revoked; "" for a sign-in or the operator.',
  }),
};

/** Shown once, in the answer that issues the key. */
export const issuedField = { key: Type.String({ description: 'The key itself. It is shown this once.' }) };

export const createKeyFields = {
  name: Name(100),
  scopes: Type.Array(OneOf(scopes), {
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    description: 'What the key may do: one scope at least, and none that the key lacks which asks.',
  }),
  expires_at: Type.Optional({
    ...TimestampInput,
    description:
      'When it ends by itself, in the future; without it the key works until it is revoked, or as long as the key which asks.',
  }),
  ip_ranges: Type.Optional(
    Type.Array(Text(64), {
      maxItems: 50,
      description: 'CIDR ranges that the key works from; `[]`, or none, is from wherever the key works which asks.',
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
      description: 'How many seconds the old key works beside the new one, at most a week.',
    }),
  ),
});

/** For what revokes a key. */
export const RevokeQuery = Type.Object(
  {
    made: Type.Optional(
      OneOf(['revoke', 'keep'], { description: 'What becomes of all that the key made: `revoke` unless told.' }),
    ),
  },
  { additionalProperties: false },
);
export type RevokeQuery = Static<typeof RevokeQuery>;

export const keyStatuses = ['active', 'revoked', 'expired'] as const;
export const keyFilters = { status: Type.Optional(Text(100, { description: 'active, revoked, expired' })) };
