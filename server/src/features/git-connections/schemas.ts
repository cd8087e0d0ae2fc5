import { Type, type Static } from 'typebox';
import { Body, explain, Id, Name, NullableTimestamp, OneOf, Text, Timestamp, record } from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';

export const GitConnection = record(
  'GitConnection',
  Type.Object({
    id: Id,
    provider: OneOf(providers),
    kind: OneOf(['token', 'app', 'directory']),
    host: Type.String(),
    name: Type.String(),
    state: OneOf(['connected', 'degraded', 'revoked', 'error']),
    last_verified_at: NullableTimestamp,
    missing_permissions: Type.Array(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

export const CreateGitConnection = Body({
  provider: OneOf(providers, {
    description:
      'This version cannot connect to other git hosts: every organization has its one `local` connection from the start (409), and the others are rejected (400).',
  }),
  kind: Type.Optional(OneOf(['token', 'app', 'directory'])),
  host: Type.Optional(Text(255)),
  name: Type.Optional(Name(200)),
  token: Type.Optional(Text(4_096)),
});
export const UpdateGitConnection = Body({ name: Type.Optional(Name(200)) });
export type CreateGitConnection = Static<typeof CreateGitConnection>;
export type UpdateGitConnection = Static<typeof UpdateGitConnection>;

explain('GitConnection', {
  kind: 'The authorization: by a `token`, as an `app`, or none, for a `directory` of this server.',
  host: 'Its host; "" for the built-in git host.',
  state: 'True if it works.',
  last_verified_at: 'When it last worked; null before.',
  missing_permissions: 'Permissions that its credential lacks; `[]` for none.',
});
explain('CreateGitConnectionRequest', {
  name: 'For people; no connection can be made in this version.',
  kind: 'The authorization; omit it, because this version cannot create connections.',
  host: 'The host; omit it, because this version cannot create connections.',
  token: 'The credential; omit it, because this version cannot create connections.',
});
