import { Type, type Static } from 'typebox';
import { Body, explain, Id, Name, named, NullableTimestamp, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';

export const GitConnection = named(
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
      'This version connects to no other git host: every organization has its one `local` connection from the start (409), and `github` and `gitlab` are refused (400).',
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
  kind: 'How it is authorized: by a `token`, as an `app`, or not at all, as a `directory` of this server.',
  host: 'The host it leads to; "" for the built-in one.',
  state: 'Whether it works.',
  last_verified_at: 'When it was last seen to work; null before.',
  missing_permissions: 'What its credential would have to be allowed as well; `[]` where nothing is missing.',
});
explain('CreateGitConnectionRequest', {
  name: 'For people; no connection can be made in this version.',
  kind: 'How it would be authorized; no connection can be made in this version.',
  host: 'The host it would lead to; no connection can be made in this version.',
  token: 'Its credential; no connection can be made in this version.',
});
