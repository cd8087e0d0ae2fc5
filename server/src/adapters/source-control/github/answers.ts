import { Type, type Static } from 'typebox';

/** The used fields of GitHub's responses. Texts are cut where they are used, so a field that grows breaks nothing. */
const Url = Type.String({ pattern: '^https?://', maxLength: 2_000 });
const Sha = Type.String({ pattern: '^[0-9a-f]{40}(?:[0-9a-f]{24})?$' });
const Instant = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?Z$',
});
const Name = Type.String({ minLength: 1, maxLength: 1_000 });
const Number32 = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });

export const InstallationToken = Type.Object({
  token: Type.String({ pattern: '^[\\x21-\\x7e]{1,2000}$' }),
  expires_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' }),
});

const Permissions = Type.Record(Type.String(), Type.Unknown());
export const App = Type.Object({ slug: Name });
export const Installation = Type.Object({
  permissions: Permissions,
  suspended_at: Type.Union([Type.String(), Type.Null()]),
});
export const User = Type.Object({ login: Name });

export const Repository = Type.Object({
  full_name: Type.String({ pattern: '^[\\w.-]+/[\\w.-]+$', maxLength: 200 }),
  default_branch: Type.String({ maxLength: 1_000 }),
  private: Type.Boolean(),
  html_url: Url,
});
export const Repositories = Type.Array(Repository, { maxItems: 100 });
/** Repositories with the user's permissions in them. */
export const OwnRepositories = Type.Array(
  Type.Object({
    full_name: Repository.properties.full_name,
    archived: Type.Boolean(),
    permissions: Type.Optional(Type.Object({ push: Type.Boolean() })),
  }),
  { maxItems: 100 },
);
export const InstallationRepositories = Type.Object({ repositories: Repositories });

const Side = Type.Object({
  ref: Name,
  sha: Sha,
  /** Null if the repository was deleted. */
  repo: Type.Union([Type.Object({ full_name: Type.String() }), Type.Null()]),
});

/** A pull request; only the read of a single one says if it is mergeable. */
export const Pull = Type.Object({
  number: Number32,
  node_id: Name,
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  draft: Type.Optional(Type.Boolean()),
  title: Type.String(),
  body: Type.Union([Type.String(), Type.Null()]),
  head: Side,
  base: Side,
  mergeable: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  mergeable_state: Type.Optional(Type.String()),
  html_url: Url,
  merge_commit_sha: Type.Union([Sha, Type.Null()]),
  merged_at: Type.Union([Instant, Type.Null()]),
  updated_at: Instant,
});
export type Pull = Static<typeof Pull>;
export const Pulls = Type.Array(Pull, { maxItems: 100 });

export const Merged = Type.Object({ sha: Sha });
export const Comment = Type.Object({ html_url: Url });

const DraftState = Type.Object({
  pullRequest: Type.Object({ isDraft: Type.Boolean(), updatedAt: Instant }),
});
export const DraftChanged = Type.Object({ data: Type.Object({ changed: DraftState }) });
