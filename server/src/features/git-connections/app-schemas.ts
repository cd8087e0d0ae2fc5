import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  Name,
  named,
  NullableTimestamp,
  record,
  Text,
  Timestamp,
} from '../../http/schema.ts';

export const PrepareGitApp = Body({
  host: Type.Optional(Text(255, { minLength: 1 })),
  github_organization: Type.Optional(Text(100)),
  name: Type.Optional(Text(34, { minLength: 1 })),
});
export type PrepareGitApp = Static<typeof PrepareGitApp>;

export const GitAppManifest = named(
  'GitAppManifest',
  Type.Object({ url: Type.String(), manifest: Type.String(), state: Type.String(), expires_at: Timestamp }),
);

export const CreateGitApp = Body({ code: Text(200, { minLength: 1 }), state: Text(200, { minLength: 1 }) });
export type CreateGitApp = Static<typeof CreateGitApp>;

export const RotateGitAppSecret = Body({
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});

export const GitApp = record(
  'GitApp',
  Type.Object({
    id: Id,
    app_id: Type.String(),
    slug: Type.String(),
    name: Name(200),
    host: Type.String(),
    html_url: Type.String(),
    installation_url: Type.String(),
    webhook_url: Type.String(),
    webhook_secret_rotated_at: NullableTimestamp,
    created_at: Timestamp,
  }),
);

explain('PrepareGitAppRequest', {
  host: 'The host of GitHub, by default `github.com`.',
  github_organization: 'The organization at GitHub that will own the App; by default the person.',
  name: 'The name of the App, which nobody else has at the host; by default `Guildhall` and the slug of the organization.',
});
explain('GitAppManifest', {
  url: 'The page of GitHub to which a browser posts the manifest, as the form field `manifest`.',
  manifest: 'The description of the App, as JSON.',
  state: 'Comes back with the code, for one use by the same caller; shown this once.',
});
explain('CreateGitAppRequest', {
  code: 'The code that GitHub added to the redirect.',
  state: 'The state that GitHub added to the redirect.',
});
explain('GitApp', {
  app_id: 'The id of the App at its host.',
  slug: 'The name of the App in URLs.',
  host: 'Its host.',
  html_url: 'URL of its page at the host.',
  installation_url: 'URL of the page that installs it.',
  webhook_url: 'The URL to which its host delivers the events of all its connections.',
  webhook_secret_rotated_at: 'When the secret of its webhook was rotated last; null before.',
});
explain('RotateGitAppWebhookSecretRequest', {
  overlap_seconds: 'Seconds for which deliveries that the old secret signed are still accepted, at most a week.',
});
defaults('RotateGitAppWebhookSecretRequest', { overlap_seconds: 600 });
