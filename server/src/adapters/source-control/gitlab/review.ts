import { Type, type Static } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import type { ReviewComment, ReviewToSubmit, SubmittedReview } from '../collaboration.ts';
import type { MirroredReads } from '../mirrored.ts';
import type { RepositoryRef } from '../port.ts';
import { webUrl } from './change-request.ts';
import { parsed, requireDone, type GitlabClient } from './client.ts';
import { pathOf, require } from './described.ts';
import { readDiscussions } from './discussion.ts';
import { readList } from './pages.ts';
import { withoutQuickActions } from './quick-actions.ts';
import { Position, SaidDiscussion } from './said.ts';
import type { MergeRequest } from './shapes.ts';

const Id = Type.Integer({ minimum: 1 });
const DraftNote = Type.Object({
  id: Id,
  note: Type.String(),
  position: Type.Optional(Type.Union([Position, Type.Null()])),
});
const Version = Type.Object({
  head_commit_sha: Type.String(),
  base_commit_sha: Type.String(),
  start_commit_sha: Type.String(),
});
const maxDrafts = 100;
const maxVersions = 500;

type Place = Static<typeof DraftNote>['position'];

interface Draft {
  readonly note: string;
  /** Undefined for a comment on the whole. */
  readonly position: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Posts a review as draft notes that are published together, so that GitLab sends one notification. Publishing takes all drafts
 * of the account: if it has others, for example those of the person whose token it is, the notes are posted one by one.
 */
export function submitFunction(client: GitlabClient, reads: Pick<MirroredReads, 'compare'>) {
  return async (repository: RepositoryRef, number: number, review: ReviewToSubmit): Promise<SubmittedReview> => {
    const { said } = await require(client, repository, number);
    const drafts = await draftsOf(client, reads, repository, said, review);
    const path = pathOf(number);
    const known = await draftNotes(client, repository, path);
    const isOurs = (one: Static<typeof DraftNote>) => drafts.some((draft) => isSame(draft, one.note, one.position));
    const discussions =
      known?.every(isOurs) === true
        ? await publish(client, repository, number, { drafts, known })
        : await postEach(client, repository, path, drafts);
    const [summary, ...comments] = drafts.map((draft) => discussions.get(draft));
    const noteId = summary?.notes[0]?.id;
    return {
      id: noteId === undefined ? '' : String(noteId),
      url: noteId === undefined ? webUrl(said.web_url) : `${webUrl(said.web_url)}#note_${noteId}`,
      threadIds: comments.map((discussion) => discussion?.id ?? ''),
    };
  };
}

/** Returns the summary, and then the comments. */
async function draftsOf(
  client: GitlabClient,
  reads: Pick<MirroredReads, 'compare'>,
  repository: RepositoryRef,
  said: MergeRequest,
  review: ReviewToSubmit,
): Promise<Draft[]> {
  const verdict = review.verdict === 'request_changes' ? '**Changes requested.**' : '';
  const text = [verdict, review.body].filter((part) => part !== '').join('\n\n') || 'Review';
  const summary = { note: withoutQuickActions(text), position: undefined };
  if (review.comments.length === 0) return [summary];
  const refs = await refsAt(client, repository, said, review.headSha);
  const diff = await reads.compare(repository, refs.base_sha, review.headSha).catch(() => undefined);
  const oldPathOf = (path: string) => diff?.files.find((file) => file.path === path)?.old_path || path;
  const toDraft = ({ path, line, side, body }: ReviewComment): Draft => ({
    note: withoutQuickActions(body),
    position: {
      position_type: 'text',
      ...refs,
      old_path: oldPathOf(path),
      new_path: path,
      [side === 'old' ? 'old_line' : 'new_line']: line,
    },
  });
  return [summary, ...review.comments.map(toDraft)];
}

/** Returns the commits that GitLab compared for a head, which need not be the present one. */
async function refsAt(client: GitlabClient, repository: RepositoryRef, said: MergeRequest, headSha: string) {
  const { base_sha: base, start_sha: start, head_sha: head } = said.diff_refs ?? {};
  if (head === headSha && typeof base === 'string' && typeof start === 'string')
    return { base_sha: base, start_sha: start, head_sha: headSha };
  const path = `${pathOf(said.iid)}/versions`;
  const versions = await readList(client, repository, { path, item: Version, limit: maxVersions });
  const found = versions.find(({ head_commit_sha: sha }) => sha === headSha);
  if (found === undefined)
    throw new ProviderError(`GitLab has not yet compared the commit ${headSha} of !${said.iid}. Try again later.`, {
      retryable: true,
    });
  return { base_sha: found.base_commit_sha, start_sha: found.start_commit_sha, head_sha: headSha };
}

/** Returns the account's drafts; undefined if GitLab offers none, before 15.9, or if there are too many to publish. */
async function draftNotes(client: GitlabClient, repository: RepositoryRef, path: string) {
  const answer = await client.inProject(repository, { path: `${path}/draft_notes`, query: { per_page: maxDrafts } });
  if (answer.status === 404) return undefined;
  const found = parsed(Type.Array(DraftNote), answer);
  return found.length < maxDrafts ? found : undefined;
}

/** Creates the drafts that an earlier attempt has not, publishes all, and finds what they became. */
async function publish(
  client: GitlabClient,
  repository: RepositoryRef,
  number: number,
  { drafts, known }: { drafts: readonly Draft[]; known: readonly Static<typeof DraftNote>[] },
): Promise<Map<Draft, SaidDiscussion>> {
  const path = `${pathOf(number)}/draft_notes`;
  for (const draft of drafts) {
    if (known.some(({ note, position }) => isSame(draft, note, position))) continue;
    const body = { note: draft.note, ...(draft.position === undefined ? {} : { position: draft.position }) };
    const answer = await client.inProject(repository, { method: 'POST', path, body });
    // A line that GitLab does not find in its diff has no comment.
    if (answer.status !== 400 || draft.position === undefined) requireDone(answer);
  }
  requireDone(await client.inProject(repository, { method: 'POST', path: `${path}/bulk_publish` }));
  return postedAs(drafts, (await readDiscussions(client, repository, number)).toReversed());
}

/** Finds what drafts became. GitLab moves a comment on an older head to the line where that is now. */
function postedAs(drafts: readonly Draft[], discussions: readonly SaidDiscussion[]): Map<Draft, SaidDiscussion> {
  const left = new Set(discussions);
  const posted = new Map<Draft, SaidDiscussion>();
  for (const isIt of [isSame, isSameText])
    for (const draft of drafts.filter((one) => !posted.has(one))) {
      const found = [...left].find(
        ({ notes: [first] }) => first !== undefined && isIt(draft, first.body, first.position),
      );
      if (found === undefined) continue;
      left.delete(found);
      posted.set(draft, found);
    }
  return posted;
}

async function postEach(
  client: GitlabClient,
  repository: RepositoryRef,
  path: string,
  drafts: readonly Draft[],
): Promise<Map<Draft, SaidDiscussion>> {
  const posted = new Map<Draft, SaidDiscussion>();
  for (const draft of drafts) {
    const body = { body: draft.note, ...(draft.position === undefined ? {} : { position: draft.position }) };
    const answer = await client.inProject(repository, { method: 'POST', path: `${path}/discussions`, body });
    if (answer.status === 400 && draft.position !== undefined) continue;
    posted.set(draft, parsed(SaidDiscussion, answer));
  }
  return posted;
}

/** True if a note of GitLab's is this draft, at its line. */
function isSame(draft: Draft, text: string, at: Place): boolean {
  const place = (of: Readonly<Record<string, unknown>> | undefined | null) =>
    JSON.stringify([of?.['new_path'] ?? '', of?.['new_line'] ?? '', of?.['old_line'] ?? '']);
  return isSameText(draft, text, at) && place(draft.position) === place(at);
}

/** GitLab strips spaces at the end of a note, and gives a draft on the whole a position of nulls. */
function isSameText({ note, position }: Draft, text: string, at: Place): boolean {
  return note.trim() === text.trim() && (position === undefined) === ((at?.new_path ?? '') === '');
}
