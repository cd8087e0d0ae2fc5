import { Type, type Static } from 'typebox';
import type { Discussion, HostReview, HostThread } from '../collaboration.ts';
import { maxSaid } from '../cut-body.ts';
import type { RepositoryRef } from '../port.ts';
import { webUrl } from './change-request.ts';
import { parsed, type GitlabClient } from './client.ts';
import { pathOf, require } from './described.ts';
import { readList } from './pages.ts';
import { Account, accountOf, commentOf, SaidDiscussion, timeOf } from './said.ts';
import type { MergeRequest } from './shapes.ts';

const Time = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** GET …/approvals */
const Approvals = Type.Object({
  approved_by: Type.Array(Type.Object({ user: Account, approved_at: Time }), { maxItems: 10_000 }),
});
/** GET …/reviewers */
const Reviewer = Type.Object({ user: Account, state: Type.String(), created_at: Time });

/** Reads all that was said on a merge request. What GitLab says itself, its system notes, is left out. */
export async function readDiscussion(
  client: GitlabClient,
  repository: RepositoryRef,
  number: number,
): Promise<Discussion> {
  const { said } = await require(client, repository, number);
  const [discussions, reviews] = await Promise.all([
    readDiscussions(client, repository, number),
    readReviews(client, repository, said),
  ]);
  const page = webUrl(said.web_url);
  const isThread = ({ notes }: SaidDiscussion) => (notes[0]?.position ?? null) !== null;
  const comments = discussions
    .filter((discussion) => !isThread(discussion))
    .flatMap(({ notes }) => notes)
    .filter(({ system }) => !system)
    .map((note) => commentOf(note, page))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return {
    comments: comments.slice(-maxSaid),
    reviews,
    threads: discussions.filter(isThread).map((discussion) => toThread(discussion, said, page)),
    labels: said.labels ?? [],
  };
}

/** Returns the newest discussions of a merge request, the oldest one first. */
export function readDiscussions(client: GitlabClient, repository: RepositoryRef, number: number) {
  const path = `${pathOf(number)}/discussions`;
  return readList(client, repository, { path, item: SaidDiscussion, limit: maxSaid, isFromEnd: true });
}

function toThread({ id, notes }: SaidDiscussion, said: MergeRequest, page: string): HostThread {
  const [first] = notes;
  const {
    new_path: newPath,
    old_path: oldPath,
    new_line: newLine,
    old_line: oldLine,
    head_sha: head,
  } = first?.position ?? {};
  const side = (newLine ?? null) === null && (oldLine ?? null) !== null ? 'old' : 'new';
  return {
    id,
    path: (side === 'old' ? oldPath : newPath) ?? '',
    line: (side === 'old' ? oldLine : newLine) ?? null,
    side,
    isResolved: first?.resolved ?? false,
    // GitLab moves the position of a note along, until a commit changes its line.
    isOutdated: (said.diff_refs?.head_sha ?? head) !== head,
    comments: notes
      .filter(({ system }) => !system)
      .slice(-maxSaid)
      .map((note) => commentOf(note, page)),
    reviewId: '',
  };
}

/**
 * GitLab keeps one review per account: an approval, which counts for the present head, or the state of a reviewer. Its text is a
 * comment.
 */
async function readReviews(client: GitlabClient, repository: RepositoryRef, said: MergeRequest): Promise<HostReview[]> {
  const path = pathOf(said.iid);
  const [approvals, reviewers] = await Promise.all([
    client.inProject(repository, { path: `${path}/approvals` }).then((answer) => parsed(Approvals, answer)),
    readList(client, repository, { path: `${path}/reviewers`, item: Reviewer, limit: maxSaid }),
  ]);
  const review = (user: Static<typeof Account>, state: HostReview['state'], at: string | null | undefined) => ({
    id: `${state}:${user.id}`,
    author: accountOf(user),
    body: '',
    url: webUrl(said.web_url),
    createdAt: timeOf(at),
    state,
    headSha: said.sha ?? '',
  });
  const approved = approvals.approved_by.map(({ user, approved_at: at }) => review(user, 'approved', at));
  const others = reviewers.flatMap(({ user, state, created_at: at }) =>
    state === 'requested_changes'
      ? [review(user, 'changes_requested', at)]
      : state === 'reviewed'
        ? [review(user, 'commented', at)]
        : [],
  );
  return [...approved, ...others].slice(-maxSaid);
}
