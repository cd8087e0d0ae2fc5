import { Type, type Static } from 'typebox';
import { explain, named, NullableTimestamp, Timestamp } from '../../http/schema.ts';

export const ToolToken = named(
  'ToolToken',
  Type.Object({
    active: Type.Boolean(),
    created_at: NullableTimestamp,
    expires_at: NullableTimestamp,
    last_used_at: NullableTimestamp,
  }),
);
export const IssuedToolToken = named(
  'IssuedToolToken',
  Type.Object({
    token: Type.String({ description: 'The token itself. It is shown only once.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);
export const CreateToolToken = Type.Object({
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 30 })),
});
export type CreateToolToken = Static<typeof CreateToolToken>;
export const RevokedToolToken = named(
  'RevokedToolToken',
  Type.Object({ revoked: Type.Boolean({ description: 'False if you had none.' }) }),
);

explain('ToolToken', {
  active: 'True if you have an active one; otherwise all other fields are null.',
});
explain('IssuedToolToken', {
  expires_at: 'When it expires.',
});
explain('CreateToolTokenRequest', {
  expires_in_days: 'Days until it expires, at most 30; it expires with the calling key if that is sooner.',
});
