import type { FakeMergeRequest, FakeProject, FakeToken } from './state.ts';

/** GitLab's JSON of an account. */
export function userJson(url: string, { id, username }: Pick<FakeToken, 'id' | 'username'>) {
  return {
    id,
    username,
    public_email: '',
    name: username,
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: `${url}/${username}`,
  };
}

/** GitLab's JSON of an access token, without its secret. */
export function tokenJson(token: FakeToken) {
  return {
    id: token.id,
    name: 'guildhall',
    revoked: false,
    created_at: '2026-01-01T00:00:00.000Z',
    description: '',
    scopes: token.scopes,
    user_id: token.id,
    last_used_at: null,
    active: true,
    expires_at: '2027-01-01',
  };
}

/** GitLab's JSON of a project: the fields that every edition has and that clients use. */
export function projectJson(url: string, project: FakeProject, isEmpty: boolean) {
  const { id, path, visibility } = project;
  const slash = path.lastIndexOf('/');
  return {
    id,
    description: null,
    name: path.slice(slash + 1),
    name_with_namespace: path.split('/').join(' / '),
    path: path.slice(slash + 1),
    path_with_namespace: path,
    created_at: '2026-01-01T00:00:00.000Z',
    default_branch: isEmpty ? null : 'main',
    topics: [],
    ssh_url_to_repo: `git@gitlab.example.org:${path}.git`,
    http_url_to_repo: `${url}/${path}.git`,
    web_url: `${url}/${path}`,
    forks_count: 0,
    star_count: 0,
    last_activity_at: '2026-01-01T00:00:00.000Z',
    visibility,
    archived: false,
    empty_repo: isEmpty,
    marked_for_deletion_at: project.markedForDeletion ? '2026-01-08' : null,
    marked_for_deletion_on: project.markedForDeletion ? '2026-01-08' : null,
    merge_method: project.mergeMethod,
    squash_option: 'default_off',
    only_allow_merge_if_pipeline_succeeds: project.onlyIfPipelineSucceeds,
  };
}

/** GitLab's JSON of a merge request at a head. */
export function mergeRequestJson(
  url: string,
  { id, path }: FakeProject,
  request: FakeMergeRequest,
  seen: { sha: string | null; status: string },
) {
  const { iid } = request;
  return {
    id: id * 1_000 + iid,
    iid,
    project_id: id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.createdAt.toISOString(),
    updated_at: request.updatedAt.toISOString(),
    merged_at: request.mergedAt?.toISOString() ?? null,
    closed_at: request.state === 'closed' ? request.updatedAt.toISOString() : null,
    target_branch: request.target,
    source_branch: request.source,
    user_notes_count: request.discussions.length,
    upvotes: 0,
    downvotes: 0,
    source_project_id: request.fork ?? id,
    target_project_id: id,
    labels: request.labels,
    draft: isDraft(request.title),
    work_in_progress: isDraft(request.title),
    merge_when_pipeline_succeeds: request.autoMerge,
    merge_status: seen.status === 'checking' ? 'checking' : request.conflicts ? 'cannot_be_merged' : 'can_be_merged',
    detailed_merge_status: seen.status,
    sha: seen.sha,
    merge_commit_sha: request.mergeCommit || null,
    squash_commit_sha: request.squashCommit || null,
    discussion_locked: null,
    should_remove_source_branch: false,
    force_remove_source_branch: false,
    prepared_at: request.createdAt.toISOString(),
    reference: `!${iid}`,
    references: { short: `!${iid}`, relative: `!${iid}`, full: `${path}!${iid}` },
    web_url: `${url}/${path}/-/merge_requests/${iid}`,
    squash: false,
    has_conflicts: seen.status !== 'checking' && request.conflicts,
    blocking_discussions_resolved: true,
  };
}

/** GitLab recognizes these marks at the start of a title, in any case. */
export function isDraft(title: string): boolean {
  return ['draft:', '[draft]', '(draft)'].some((mark) => title.toLowerCase().startsWith(mark));
}
