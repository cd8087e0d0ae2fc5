import type { ChangeRequestContent, ProviderChangeRequest } from '../port.ts';
import { withoutQuickActions } from './quick-actions.ts';
import type { MergeRequest } from './shapes.ts';

/** The marks that GitLab recognizes at the start of a draft's title. */
const draftMark = /^(?:\s*(?:draft:|\[draft\]|\(draft\)))+\s*/i;

/** Statuses of a merge request that GitLab has not checked yet. */
const unchecked = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing']);

/** Describes a merge request in the words of the port. */
export function toChangeRequest(said: MergeRequest): ProviderChangeRequest {
  const isMerged = said.state === 'merged';
  const isOpen = said.state === 'opened' || said.state === 'locked';
  return {
    number: said.iid,
    state: isMerged ? 'merged' : isOpen ? 'open' : 'closed',
    draft: said.draft,
    title: said.draft ? withoutMark(said.title) : said.title,
    body: said.description ?? '',
    headRef: said.source_branch,
    headSha: said.sha ?? '',
    isFromFork: said.source_project_id !== said.target_project_id,
    baseRef: said.target_branch,
    mergeable: isOpen ? mergeableOf(said) : false,
    isBehind: isOpen && said.detailed_merge_status === 'need_rebase',
    url: webUrl(said.web_url),
    mergeCommit: isMerged ? (said.merge_commit_sha ?? said.squash_commit_sha ?? said.sha ?? '') : '',
    mergedAt: isMerged ? dateOf(said.merged_at ?? said.updated_at) : null,
    updatedAt: dateOf(said.updated_at),
  };
}

/** Returns the fields of a merge request; its title's mark makes it a draft. */
export function contentOf({ title, body, draft }: ChangeRequestContent) {
  const plain = withoutMark(title);
  return { title: draft ? `Draft: ${plain}` : plain, description: withoutQuickActions(body) };
}

/** True if it merges without conflicts, whatever else it waits for; undefined until GitLab has checked. */
function mergeableOf({ has_conflicts: hasConflicts, detailed_merge_status: status = 'unchecked' }: MergeRequest) {
  if (unchecked.has(status)) return undefined;
  return hasConflicts !== true && !['conflict', 'broken_status'].includes(status);
}

export function isUnchecked({ detailed_merge_status: status = 'unchecked', state }: MergeRequest): boolean {
  return state === 'locked' || unchecked.has(status);
}

function withoutMark(title: string): string {
  return title.replace(draftMark, '') || title;
}

/** Returns a page's URL, which may have another host name than the API; `''` for anything that is not http or https. */
export function webUrl(text: string): string {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '') ? text : '';
}

function dateOf(text: string): Date {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
