import type { ChangeRequestContent, ProviderChangeRequest } from '../port.ts';
import type { PullRequest } from './shapes.ts';

/** Pagure has no drafts: the title says so, and whoever removes this makes the pull request ready. */
const draftPrefix = 'Draft: ';

/** Returns a form with the title and description of a pull request. */
export function contentForm({ title, body, draft }: ChangeRequestContent): { title: string; initial_comment: string } {
  return { title: draft ? `${draftPrefix}${title}` : title, initial_comment: body };
}

const states = { Open: 'open', Merged: 'merged', Closed: 'closed' } as const;

/** Describes a pull request. `url` is that of its page, `mergeCommit` the merge's commit if it is merged. */
export function toChangeRequest(
  pull: PullRequest,
  { url, mergeCommit = '' }: { url: string; mergeCommit?: string | undefined },
): ProviderChangeRequest {
  const state = states[pull.status];
  const draft = pull.title.startsWith(draftPrefix);
  return {
    number: pull.id,
    state,
    draft,
    title: draft ? pull.title.slice(draftPrefix.length) : pull.title,
    body: pull.initial_comment ?? '',
    headRef: pull.branch_from,
    headSha: pull.commit_stop ?? '',
    isFromFork: !isWithinProject(pull),
    baseRef: pull.branch,
    mergeable: state === 'open' ? mergeable[pull.cached_merge_status ?? ''] : false,
    isBehind: false,
    url,
    mergeCommit: state === 'merged' ? mergeCommit : '',
    mergedAt: state === 'merged' ? new Date(millisecondsOf(pull.closed_at)) : null,
    updatedAt: timesOf(pull).updatedAt,
  };
}

/** Returns when a pull request was opened, and when it changed last. */
export function timesOf(pull: Pick<PullRequest, 'date_created' | 'updated_on' | 'last_updated' | 'closed_at'>): {
  createdAt: Date;
  updatedAt: Date;
} {
  const changes = [pull.updated_on, pull.last_updated, pull.closed_at].map(millisecondsOf);
  return { createdAt: new Date(millisecondsOf(pull.date_created)), updatedAt: new Date(Math.max(...changes)) };
}

/** Pagure tries a merge only when someone opens the page. */
const mergeable: Readonly<Record<string, boolean>> = {
  FFORWARD: true,
  MERGE: true,
  NO_CHANGE: true,
  CONFLICTS: false,
};

/** Returns true for a pull request between branches of one project. */
export function isWithinProject({ project, repo_from }: Pick<PullRequest, 'project' | 'repo_from'>): boolean {
  return repo_from?.fullname === project.fullname;
}

/** Returns milliseconds since 1970; 0 for what is not a time. */
function millisecondsOf(seconds: string | number | null | undefined): number {
  const ms = Number(seconds ?? 0) * 1_000;
  return ms >= 0 && ms < 8.64e15 ? ms : 0;
}
