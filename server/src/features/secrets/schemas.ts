import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { prefixesText } from '../../lib/providers.ts';

export const kinds = ['env', 'file', 'git_credential'] as const;
export const scopes = ['organization', 'repository', 'user'] as const;
export const exposures = ['sandbox', 'broker'] as const;
export type SecretKind = (typeof kinds)[number];
export type SecretScope = (typeof scopes)[number];
export type SecretExposure = (typeof exposures)[number];

/** Maximum length of a value, in bytes of UTF-8. */
export const maxValueBytes = 16_384;

export const Secret = record(
  'Secret',
  Type.Object({
    id: Id,
    key: Type.String(),
    kind: OneOf(kinds),
    scope: OneOf(scopes),
    repo: Type.String({ description: '`owner/name` for the scope `repository`, else "".' }),
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
  'x-form': 'a name of letters, digits and _, not starting with a digit',
  description: 'Name of the environment variable; only a label for a git credential.',
});
const value = Text(maxValueBytes, {
  minLength: 1,
  description: 'At most 16 KiB in UTF-8. Write-only.',
});
const kind = OneOf(kinds, {
  description:
    '`env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: `user:password`, or a token alone, for git over HTTPS at `allowed_hosts`.',
});
const exposure = OneOf(exposures, {
  description:
    '`sandbox`: the value enters the sandbox. `broker`: it stays outside, and the gateway adds it ' +
    'as a header to requests to `allowed_hosts`: as `Authorization: Bearer <value>`, or as the header in a ' +
    'value of the form `name: content`.',
});
const allowedHosts = Type.Array(
  Text(260, {
    pattern:
      '^(?:\\*\\.)?[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*(?::[1-9][0-9]{0,4})?$',
    'x-form': 'a host such as api.example.com or *.example.com, optionally with :port',
    description: 'A host, or `*.` and a suffix; optionally with `:port`, by default 80 and 443.',
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
      description:
        `\`owner/name\`, with the prefix ${prefixesText('`')} if several git hosts have it; required for the scope ` +
        '`repository`, omit it for others.',
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
  search: Type.Optional(Text(200, { minLength: 1, description: 'Part of the key.' })),
  scope: Type.Optional(Text(100, { description: scopes.join(', ') })),
  repo: Type.Optional(Text(2_000, { description: `\`owner/name\`, optionally with the prefix ${prefixesText('`')}.` })),
});
export type SecretQuery = Static<typeof SecretQuery>;

/** A secret for one session. */
export const SessionSecretInput = Body({
  key,
  value,
  kind: Type.Optional(kind),
  exposure: Type.Optional(exposure),
  allowed_hosts: Type.Optional(allowedHosts),
});
export type SessionSecretInput = Static<typeof SessionSecretInput>;

explain('Secret', {
  key: 'Name of the environment variable; only a label for a git credential.',
  kind: '`env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: for git over HTTPS at `allowed_hosts`.',
  scope: "The sessions that get it: all of the `organization`, those on the `repository`, or the `user`'s own.",
  exposure:
    '`sandbox`: the value enters the sandbox. `broker`: only the gateway has it, and adds it to requests to ' +
    '`allowed_hosts`.',
  version: 'Number of the value, from 1.',
});
explain('SecretUse', {
  used_at: 'When the session got it.',
  version: 'The version that the session got.',
});
explain('CreateSecretRequest', {
  allowed_hosts: 'Host names; `*.example.com` matches its subdomains.',
  scope:
    'The sessions that get it: all of the `organization`, those on the `repository`, or the ' +
    "`user`'s own. A user's own secret enters only the agent's sandbox, and never together with a secret of any " +
    'scope that another member wrote last.',
});
defaults('CreateSecretRequest', {
  kind: 'env',
  scope: 'organization',
  note: '',
  exposure: 'sandbox',
  allowed_hosts: [],
});
