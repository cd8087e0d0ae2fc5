import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  Name,
  named,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';

const fields = {
  id: Id,
  provider: OneOf(providers),
  kind: OneOf(['token', 'app', 'directory']),
  host: Type.String(),
  name: Type.String(),
  account: Type.String(),
  app_id: Type.String(),
  state: OneOf(['connected', 'degraded', 'revoked', 'error']),
  problem: Type.String(),
  last_verified_at: NullableTimestamp,
  missing_permissions: Type.Array(Type.String()),
  webhook_url: Type.String(),
  webhook_problem: Type.String(),
  last_delivery_at: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const GitConnection = record('GitConnection', Type.Object(fields));
export const GitConnectionWithSecret = named(
  'GitConnectionWithSecret',
  Type.Object({ ...fields, webhook_secret: Type.String() }),
);

const token = Text(4_096, { minLength: 1 });

export const CreateGitConnection = Body({
  provider: OneOf(providers),
  kind: Type.Optional(OneOf(['token', 'app', 'directory'])),
  host: Type.Optional(Text(255, { minLength: 1 })),
  name: Type.Optional(Name(200)),
  token: Type.Optional(token),
  app_id: Type.Optional(Text(64, { minLength: 1 })),
  installation_id: Type.Optional(Type.Unsafe<string>({ type: 'string', pattern: '^[1-9][0-9]{0,17}$' })),
});
export const UpdateGitConnection = Body({ name: Type.Optional(Name(200)), token: Type.Optional(token) });
export const RotateWebhookSecret = Body({
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});
export type CreateGitConnection = Static<typeof CreateGitConnection>;
export type UpdateGitConnection = Static<typeof UpdateGitConnection>;

explain(['GitConnection', 'GitConnectionWithSecret'], {
  kind: 'The authorization: by a `token`, as an `app`, or none, for a `directory` of this server.',
  host: 'Its host, with a port unless it is the default one; "" for the built-in git host.',
  account: 'The account at the host that acts; "" for the built-in git host.',
  app_id: 'The App, by its id here; "" unless the kind is `app`.',
  state:
    '`connected`; `degraded` if the credential lacks permissions; `revoked` if the host rejected it; `error` if the host could not be asked when the connection was verified last.',
  problem: 'What is wrong and what to do; "" while it works.',
  last_verified_at: 'When it last worked; null before.',
  missing_permissions: "Permissions that its credential lacks, in the host's words; `[]` for none.",
  webhook_url:
    'The URL to which the host delivers its events, for an App that of its one webhook; "" for the built-in git host.',
  webhook_problem:
    'Why the host does not deliver, and what to do; "" if it does. Guildhall also asks the host every ten minutes.',
  last_delivery_at: 'When the host delivered last; null before.',
});
explain('GitConnectionWithSecret', {
  webhook_secret: "The secret for the host's webhooks; shown this once.",
});
explain('RotateGitConnectionWebhookSecretRequest', {
  overlap_seconds: 'Seconds for which the old secret is valid, too, at most a week.',
});
defaults('RotateGitConnectionWebhookSecretRequest', { overlap_seconds: 86_400 });
explain('CreateGitConnectionRequest', {
  provider: 'The kind of git host. Every organization has its one `local` connection from the start (409).',
  kind: 'The authorization: by a `token`, which is the default, or as an `app`.',
  host: 'A host name, or an https URL if the host is below a path; by default `github.com` or `gitlab.com`, and required for `pagure`. A private one needs a rule of the operator for `git` in `GUILDHALL_EGRESS_ALLOW`.',
  name: 'A name for people; by default the host.',
  token:
    'The credential, an access token of the host; omit it for `local` and for an App. It is stored encrypted and never shown.',
  app_id: 'The App, by its id here; required for the kind `app`, whose host is that of the App. Omit it for a token.',
  installation_id:
    'The number of the installation, which GitHub adds to the redirect after the App was installed. Omit it for a token.',
});
explain('UpdateGitConnectionRequest', {
  token: 'Another access token of the same host; verified before it replaces the current one.',
});
