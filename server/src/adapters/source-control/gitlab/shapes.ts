import { Type, type Static } from 'typebox';

// Only the fields that are used. GitLab's own description of them: https://docs.gitlab.com/api/rest/

const Id = Type.Integer({ minimum: 1 });
const Text = Type.String({ maxLength: 2_000_000 });
const Optional = Type.Union([Type.String(), Type.Null()]);

/** GET /personal_access_tokens/self; the same for project and group access tokens. */
export const Token = Type.Object({ scopes: Type.Array(Type.String(), { maxItems: 100 }) });

/** GET /user */
export const User = Type.Object({ username: Type.String({ minLength: 1, maxLength: 255 }) });

/** GET /projects/:id */
export const Project = Type.Object({
  id: Id,
  path_with_namespace: Type.String({ pattern: '^[\\w.][\\w.-]*(/[\\w.][\\w.-]*)+$', maxLength: 1_024 }),
  default_branch: Type.Optional(Optional),
  visibility: Type.Optional(Type.String()),
  web_url: Type.String(),
  marked_for_deletion_on: Type.Optional(Optional),
  only_allow_merge_if_pipeline_succeeds: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});

export const Projects = Type.Array(Project, { maxItems: 100 });

/** The part of a project that names it for good. */
export const MovedProject = Type.Object({ id: Id });

/** GET /projects/:id/merge_requests/:iid */
export const MergeRequest = Type.Object({
  iid: Id,
  /** `opened`, `closed`, `merged`, or `locked` while it is being merged. */
  state: Type.String(),
  draft: Type.Boolean(),
  title: Text,
  description: Type.Union([Text, Type.Null()]),
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_project_id: Type.Union([Id, Type.Null()]),
  target_project_id: Id,
  sha: Optional,
  merge_commit_sha: Optional,
  squash_commit_sha: Type.Optional(Optional),
  has_conflicts: Type.Optional(Type.Boolean()),
  detailed_merge_status: Type.Optional(Type.String()),
  merged_at: Type.Optional(Optional),
  created_at: Type.Optional(Type.String()),
  updated_at: Type.String(),
  web_url: Type.String(),
  labels: Type.Optional(Type.Array(Type.String(), { maxItems: 10_000 })),
  diff_refs: Type.Optional(
    Type.Union([Type.Object({ base_sha: Optional, head_sha: Optional, start_sha: Optional }), Type.Null()]),
  ),
  merge_when_pipeline_succeeds: Type.Optional(Type.Boolean()),
});
export type MergeRequest = Static<typeof MergeRequest>;

export const MergeRequests = Type.Array(MergeRequest, { maxItems: 100 });

export const Note = Type.Object({ id: Id });
