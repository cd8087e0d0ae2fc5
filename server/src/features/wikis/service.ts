import { withoutReplay, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { orderUpdate } from '../repositories/code-index/queue-service.ts';
import { requireRepository } from '../repositories/service.ts';
import { requireStorage } from '../storage/quota-service.ts';
import { countProseLeft } from './prose/store.ts';
import { listPages, queueWiki, readPage, readWiki, type PageRow } from './store.ts';

type WikiContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'config'>;
/** The organization that reads. */
interface Reader {
  organization: Pick<Actor['organization'], 'id'>;
}

export async function getWiki(ctx: Pick<Context, 'db'>, caller: Reader, id: string) {
  const row = await requireRepository(ctx, caller.organization.id, id);
  const [wiki, pages, proseLeft] = await Promise.all([
    readWiki(ctx.db.kysely, id),
    listPages(ctx.db.kysely, id),
    countProseLeft(ctx.db.kysely, id),
  ]);
  return {
    state: row.wiki_state,
    commit: wiki?.commit_sha ?? '',
    generated_at: row.wiki_generated_at,
    error: wiki?.error ?? '',
    note: [wiki?.note ?? '', wiki?.prose_error ?? ''].filter((text) => text !== '').join(' '),
    prose_session_id: wiki?.session_id ?? '',
    prose_left: proseLeft,
    pages: pages.map(summaryOf),
  };
}

/** Throws 404 `repository_not_found`, `wiki_page_not_found`. */
export async function getPage(ctx: Pick<Context, 'db'>, caller: Reader, id: string, slug: string) {
  await requireRepository(ctx, caller.organization.id, id);
  const row = await readPage(ctx.db.kysely, id, slug);
  if (row === undefined) throw notFound('wiki_page', slug);
  const commit = row.commit_sha;
  const shown = { commit, body: atCommit(row.body, commit), prose: atCommit(row.prose, row.prose_commit) };
  return { ...summaryOf(row), ...shown, prose_at: row.prose_at };
}

/** Writes a wiki's pages for a model, one a line. */
export function pagesText({
  state,
  pages,
}: {
  state: string;
  pages: readonly { slug: string; title: string; summary: string }[];
}): string {
  if (pages.length === 0) return `The repository has no pages; the state of its wiki is ${state}.`;
  return pages.map(({ slug, title, summary }) => `${slug}: ${title}. ${summary}`).join('\n');
}

/** Writes a page for a model: its prose, then its facts. */
export function pageText(page: { title: string; prose: string; prose_state: string; body: string }): string {
  const { title, prose, prose_state, body } = page;
  const note = prose_state === 'stale' ? '[The code changed since this was written; the facts below are current.]' : '';
  return [`# ${title}`, note, prose, body].filter((part) => part !== '').join('\n\n');
}

/**
 * Orders the wiki: the index is updated first, and its end orders the pages. Throws 402 `budget_exceeded` if the organization's
 * storage is full.
 */
export async function regenerateWiki(ctx: WikiContext, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  const requestedBy = `${caller.principal.type}:${caller.principal.id}`;
  await mutate(ctx, withoutReplay(caller), async (trx, audit) => {
    if (!(await queueWiki(trx, orgId, id, { requestedBy, wantsProse: caller.scopes.has('run') })))
      throw notFound('repository', id);
    await requireStorage(ctx, trx, orgId);
    const isThere = await orderUpdate(ctx, trx, { orgId, id });
    if (!isThere) await orderUpdate(ctx, trx, { orgId, id, create: true });
    audit({ action: 'repository.wiki_regenerate', resource: { type: 'repository', id } });
  });
  return getWiki(ctx, caller, id);
}

type Summarized = Pick<PageRow, 'slug' | 'parent' | 'kind' | 'title' | 'summary' | 'has_prose' | 'is_stale'>;

function summaryOf({ slug, parent, kind, title, summary, has_prose, is_stale }: Summarized) {
  const prose_state = has_prose ? (is_stale ? ('stale' as const) : ('current' as const)) : ('none' as const);
  return { slug, parent, kind, title, summary, prose_state };
}

/** Names the commit in the links of a page. */
function atCommit(text: string, commit: string): string {
  return text.replaceAll(/(\]\([^()\s]{1,20000}@)commit(#L\d+\))/g, `$1${commit}$2`);
}
