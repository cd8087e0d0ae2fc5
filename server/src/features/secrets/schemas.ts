import { Type, type Static } from 'typebox';
import {
  Body,
  explain,
  Id,
  ListQuery,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
} from '../../http/schema.ts';
import { prefixesText } from '../../lib/providers.ts';

export const kinds = ['env', 'file', 'git_credential'] as const;
export const scopes = ['organization', 'repository', 'user'] as const;
export const exposures = ['sandbox', 'broker'] as const;
export type SecretKind = (typeof kinds)[number];
export type SecretScope = (typeof scopes)[number];
export type SecretExposure = (typeof exposures)[number];

/** The most bytes of a value, in UTF-8. */
export const maxValueBytes = 16_384;

export const Secret = named(
  'Secret',
  Type.Object({
    id: Id,
    key: Type.String(),
    kind: OneOf(kinds),
    scope: OneOf(scopes),
    repo: Type.String({ description: '`owner/name` of a secret whose scope is `repository`; "" for any other.' }),
    note: Type.String(),
    exposure: OneOf(exposures),
    allowed_hosts: Type.Array(Type.String()),
    version: Type.Integer({ minimum: 1 }),
    created_by: Principal,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_used_at: NullableTimestamp,
  }),
);

export const SecretUse = named(
  'SecretUse',
  Type.Object({ session_id: Id, version: Type.Integer({ minimum: 1 }), used_at: Timestamp }),
);

const key = Text(256, {
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$',
  'x-form': 'a name of letters, digits and _, not beginning with a digit',
  description: 'The name of the environment variable; of a git credential just its name.',
});
const value = Text(maxValueBytes, {
  minLength: 1,
  description: 'At most 16 KiB in UTF-8. It can be set, and never read.',
});
const kind = OneOf(kinds, {
  description:
    '`env`, the default: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: `user:password`, or a token alone, for git over HTTPS at `allowed_hosts`.',
});
const exposure = OneOf(exposures, {
  description:
    '`sandbox`, the default: the value enters the sandbox. `broker`: it stays outside, and the gateway adds it as a header to requests for `allowed_hosts`: as `Authorization: Bearer <value>`, or as the header that a value of the form `name: content` names.',
});
const allowedHosts = Type.Array(
  Text(260, {
    pattern:
      '^(?:\\*\\.)?[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*(?::[1-9][0-9]{0,4})?$',
    'x-form': 'a host such as api.example.com or *.example.com, where need be with :port',
    description: 'A host, or `*.` and a suffix; either with `:port`, without which it stands for 80 and 443.',
  }),
  { maxItems: 100, uniqueItems: true },
);
const note = Text(2_000);

export const CreateSecret = Body({
  key,
  value,
  kind: Type.Optional(kind),
  scope: Type.Optional(OneOf(scopes)),
  repo: Type.Optional(
    Text(220, {
      description: `\`owner/name\`, where several git hosts have it with ${prefixesText('`')} in front; required for the scope \`repository\`, and for no other.`,
    }),
  ),
  note: Type.Optional(note),
  exposure: Type.Optional(exposure),
  allowed_hosts: Type.Optional(allowedHosts),
});
export type CreateSecret = Static<typeof CreateSecret>;

export const SetSecretValue = Body({ value });

export const UpdateSecret = Body({
  kind: Type.Optional(kind),
  note: Type.Optional(note),
  exposure: Type.Optional(exposure),
  allowed_hosts: Type.Optional(allowedHosts),
});
export type UpdateSecret = Static<typeof UpdateSecret>;

export const SecretQuery = ListQuery({
  scope: Type.Optional(Text(100, { description: scopes.join(', ') })),
  repo: Type.Optional(Text(2_000, { description: `\`owner/name\`, in front ${prefixesText('`')} if need be.` })),
});
export type SecretQuery = Static<typeof SecretQuery>;

/** A secret that one session alone gets. */
export const SessionSecretInput = Body({
  key,
  value,
  kind: Type.Optional(kind),
  exposure: Type.Optional(exposure),
  allowed_hosts: Type.Optional(allowedHosts),
});
export type SessionSecretInput = Static<typeof SessionSecretInput>;

explain('Secret', {
  key: 'The name of the environment variable; of a git credential just its name.',
  kind: '`env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: for git over HTTPS at `allowed_hosts`.',
  scope: "Whose sessions get it: all of the `organization`, those on the `repository`, or the `user`'s own.",
  exposure:
    '`sandbox`: the value enters the sandbox. `broker`: only the gateway has it, and adds it to requests for `allowed_hosts`.',
  version: 'Counts values, from 1.',
});
explain('SecretUse', {
  used_at: 'When the session was given it.',
  version: 'The version that it got.',
});
explain('CreateSecretRequest', {
  scope:
    "Whose sessions get it: all of the `organization`, unless given, those on the `repository`, or the `user`'s own: in the sandbox of the agent alone, and never beside what another member wrote last, also secrets of the other scopes.",
});
