import { Type, type Static } from 'typebox';
import { Body, Id, named, NullableTimestamp, OneOf, Principal, Text, Timestamp } from '../../../http/schema.ts';

export const messageStates = ['queued', 'delivered', 'withdrawn'] as const;

const sourceKinds = ['ci', 'review', 'comment', 'conflict', 'push'] as const;

export const MessageSource = Type.Object({
  kind: OneOf(sourceKinds),
  url: Type.String(),
  head_sha: Type.String(),
});
export type MessageSource = Static<typeof MessageSource>;

export const Message = named(
  'SessionMessage',
  Type.Object({
    id: Id,
    session_id: Id,
    role: OneOf(['user', 'agent']),
    content: Type.String(),
    attachment_ids: Type.Array(Type.String()),
    delivery: OneOf(['steer', 'queue', 'interrupt']),
    state: OneOf(messageStates),
    created_by: Principal,
    source: Type.Union([MessageSource, Type.Null()]),
    created_at: Timestamp,
    delivered_at: NullableTimestamp,
  }),
);
export const CreateMessage = Body({
  content: Text(100_000, { minLength: 1, 'x-error-code': 'content_required' }),
  attachment_ids: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  delivery: Type.Optional(OneOf(['steer', 'queue', 'interrupt'])),
});
export type CreateMessage = Static<typeof CreateMessage>;
