import type { Collaboration, HostThread, ReviewToSubmit, SubmittedReview } from '../collaboration.ts';
import { maxSaid } from '../cut-body.ts';
import type { MirroredReads } from '../mirrored.ts';
import type { RepositoryRef } from '../port.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Accounts } from './accounts.ts';
import type { PagureClient } from './client.ts';
import { openDiffRows, type DiffRows, type Line, type Row } from './inline.ts';
import { requireProject } from './project.ts';
import { isWithinProject } from './pull-request.ts';
import type { PullRequests } from './pull-requests.ts';
import { commentOf, SaidComments, textBytes, type SaidComment } from './said.ts';
import type { PullRequest } from './shapes.ts';

type Discussions = Required<Pick<Collaboration, 'discussion' | 'reply' | 'submitReview'>>;

interface Parts {
  readonly client: PagureClient;
  readonly accounts: Accounts;
  readonly pulls: PullRequests;
  readonly reads: MirroredReads;
}

/** Files and rows whose lines are looked up for one discussion; the others count as gone. */
const maxPlaces = 100;

/** Comments of pull requests. Those on the same row of the same file's diff are a thread, which cannot be resolved. */
export function createDiscussions(parts: Parts): Discussions {
  const { client, pulls, reads } = parts;

  /** Pagure learns of a push a moment later. */
  async function headOf(repository: RepositoryRef, pull: PullRequest): Promise<string> {
    const isLive = pull.status === 'Open' && isWithinProject(pull);
    const tip = isLive ? await reads.branchHead(repository, pull.branch_from) : undefined;
    return tip ?? pull.commit_stop ?? '';
  }

  /** Looks up the lines of the newest places. */
  async function linesOf(repository: RepositoryRef, pull: PullRequest, places: readonly Row[]) {
    const wanted = places.slice(-maxPlaces);
    if (wanted.length === 0) return new Map<string, Line>();
    const between = { base: pull.branch, head: await headOf(repository, pull) };
    const lines = await withRows(reads, repository, between, (rows) => inOrder(wanted, (row) => rows.lineAt(row)));
    return new Map(lines?.map((line, index) => [nameOf(wanted[index]), line]));
  }

  return {
    async discussion(repository, number) {
      const pull = await pulls.require(repository, number);
      const { whole, inline, tags } = await readSaid(client, repository, number);
      const page = await pulls.page(repository, number);
      const threads = [...Map.groupBy(inline, ({ row }) => nameOf(row))].slice(-maxSaid);
      const places = threads.flatMap(([, [first]]) => first?.row ?? []);
      const lines = await linesOf(repository, pull, places);
      return {
        comments: whole.slice(-maxSaid).map((said) => commentOf(said, page)),
        reviews: [],
        threads: threads.map(([id, said]) => toThread(id, { said, page, line: lines.get(id) })),
        labels: tags,
      };
    },
    async reply(repository, number, threadId, body) {
      await pulls.post(repository, number, '/comment', { comment: body, ...formOf(rowNamed(threadId)) });
      return { url: await pulls.page(repository, number) };
    },
    submitReview: (repository, number, review) => submit(parts, repository, number, review),
  };
}

/** Posts the comments on lines that an earlier attempt has not, and then the summary. */
async function submit(
  { client, accounts, pulls, reads }: Parts,
  repository: RepositoryRef,
  number: number,
  review: ReviewToSubmit,
): Promise<SubmittedReview> {
  const pull = await pulls.require(repository, number);
  const between = { base: pull.branch, head: review.headSha };
  const rows = await withRows(reads, repository, between, (diff) =>
    inOrder(review.comments, ({ path, side, line }) => diff.rowOf({ path, side, line })),
  );
  const login = await accounts.name(repository);
  const before = await readSaid(client, repository, number);
  const post = (form: Record<string, string>) => pulls.post(repository, number, '/comment', form);
  let posted = 0;
  for (const [index, { body }] of review.comments.entries()) {
    const row = rows?.[index];
    if (row === undefined || before.inline.some((one) => isIt(one, { login, row, body }))) continue;
    await post({ comment: body, ...formOf(row) });
    posted += 1;
  }
  const comment = summaryOf(review);
  const isSummary = (one: SaidComment) => one.user.name === login && one.comment === comment;
  const isPosted = posted === 0 && review.comments.length > 0 && before.whole.some(isSummary);
  if (!isPosted) await post({ comment });
  const summary = (await readSaid(client, repository, number)).whole.findLast(isSummary);
  const page = await pulls.page(repository, number);
  return {
    id: summary === undefined ? '' : String(summary.id),
    url: summary === undefined ? page : `${page}#comment-${summary.id}`,
    threadIds: review.comments.map((_, index) => nameOf(rows?.[index])),
  };
}

async function readSaid(client: PagureClient, repository: RepositoryRef, number: number) {
  const path = `${requireProject(repository.repo).path}/pull-request/${number}`;
  const { comments, tags = [] } = await client.call(repository, { path }, SaidComments, { textBytes });
  const said = comments.filter(({ notification }) => notification !== true);
  return { whole: said.filter((one) => rowIn(one) === undefined), inline: said.flatMap(withRow), tags };
}

async function withRows<T>(
  reads: MirroredReads,
  repository: RepositoryRef,
  { base, head }: { base: string; head: string },
  use: (rows: DiffRows) => Promise<T>,
): Promise<T | undefined> {
  const from = await reads.resolve(repository, base);
  return reads.withGitDirectory(repository, head, async (directory, commit) =>
    use(await openDiffRows(directory, from ?? commit, commit)),
  );
}

function summaryOf({ verdict, body }: ReviewToSubmit): string {
  const text = [verdict === 'request_changes' ? '**Changes requested.**' : '', body].filter((part) => part !== '');
  return text.join('\n\n') || 'Review';
}

/** Runs one after another: each runs git. */
async function inOrder<In, Out>(all: readonly In[], run: (one: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const one of all) results.push(await run(one));
  return results;
}

type Inline = SaidComment & { readonly row: Row };

function withRow(said: SaidComment): Inline[] {
  const row = rowIn(said);
  return row === undefined ? [] : [{ ...said, row }];
}

function rowIn({ commit, filename, line }: SaidComment): Row | undefined {
  const isInline = (commit ?? '') !== '' && (filename ?? '') !== '' && (line ?? 0) > 0;
  return isInline ? { commit: commit ?? '', path: filename ?? '', row: line ?? 0 } : undefined;
}

function isIt(said: Inline, { login, row, body }: { login: string; row: Row; body: string }): boolean {
  return said.user.name === login && said.comment === body && nameOf(said.row) === nameOf(row);
}

/** Returns the name of the thread at a place; `''` for none. */
function nameOf(place: Row | undefined): string {
  return place === undefined ? '' : `${place.commit}:${place.row}:${place.path}`;
}

function rowNamed(threadId: string): Row {
  const [, commit = '', row = '', path = ''] = /^([0-9a-f]{1,64}):([1-9]\d{0,8}):(.+)$/s.exec(threadId) ?? [];
  if (path === '') throw new ProviderError('Pagure has no thread of this name.', { retryable: false });
  return { commit, row: Number(row), path };
}

function formOf({ commit, row, path }: Row): Record<string, string> {
  return { commit, row: String(row), filename: path };
}

function toThread(
  id: string,
  { said, page, line }: { said: readonly Inline[]; page: string; line: Line | undefined },
): HostThread {
  return {
    id,
    path: said[0]?.row.path ?? '',
    line: line?.line ?? null,
    side: line?.side ?? 'new',
    isResolved: false,
    isOutdated: line?.isOutdated ?? true,
    comments: said.slice(-maxSaid).map((one) => commentOf(one, page)),
    reviewId: '',
  };
}
