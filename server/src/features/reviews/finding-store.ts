import type { Insertable, Kysely, Transaction, Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Severity } from './output.ts';
import type { FindingStatus } from './schemas.ts';

const shown = [
  'id',
  'review_id',
  'repository_id',
  'number',
  'severity',
  'confidence',
  'category',
  'title',
  'body',
  'suggestion',
  'file',
  'side',
  'line',
  'start_line',
  'in_diff',
  'evidence',
  'reproduced',
  'command',
  'status',
  'reason',
  'fingerprint',
  'comment_id',
  'fix_session_id',
  'created_at',
  'updated_at',
] as const;

export type FindingRow = NonNullable<Awaited<ReturnType<typeof readFinding>>>;

export interface FindingFilter {
  statuses?: FindingStatus[];
  severities?: Severity[];
}

/** Selects findings that a review confirmed. */
export function findingsQuery(db: Kysely<DB>, orgId: string, reviewId: string, filter: FindingFilter = {}) {
  const { statuses = [], severities = [] } = filter;
  return db
    .selectFrom('review_findings')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('review_id', '=', reviewId), eb('first_review_id', '=', reviewId)]))
    .$if(statuses.length > 0, (q) => q.where('status', 'in', statuses))
    .$if(severities.length > 0, (q) => q.where('severity', 'in', severities));
}

export async function listFindingRows(
  query: ReturnType<typeof findingsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readFinding(db: Kysely<DB>, orgId: string, reviewId: string, id: string) {
  return findingsQuery(db, orgId, reviewId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns a finding and locks it until the transaction ends. */
export async function lockFinding(trx: Transaction<DB>, orgId: string, reviewId: string, id: string) {
  return findingsQuery(trx, orgId, reviewId).select(shown).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns all findings of a change request and locks them until the transaction ends. */
export async function lockFindings(trx: Transaction<DB>, changeRequestId: string) {
  return trx
    .selectFrom('review_findings')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Anchors that are shorter are on many lines. */
const tellingAnchor = 10;

/** Returns the dismissed findings of a repository's other change requests that these may be. */
export async function listDismissed(
  db: Kysely<DB>,
  repositoryId: string,
  changeRequestId: string,
  found: readonly { fingerprint: string; anchor: string }[],
) {
  if (found.length === 0) return [];
  const fingerprints = found.map(({ fingerprint }) => fingerprint);
  const anchors = found.map(({ anchor }) => anchor).filter((anchor) => anchor.length >= tellingAnchor);
  return db
    .selectFrom('review_findings')
    .select(['fingerprint', 'number', 'reason', 'file', 'category', 'anchor'])
    .where('repository_id', '=', repositoryId)
    .where('change_request_id', '!=', changeRequestId)
    .where('status', '=', 'dismissed')
    .where((eb) =>
      eb.or([eb('fingerprint', 'in', fingerprints), ...(anchors.length === 0 ? [] : [eb('anchor', 'in', anchors)])]),
    )
    .orderBy('id', 'desc')
    .limit(1_000)
    .execute();
}

export async function insertFinding(trx: Transaction<DB>, row: Insertable<DB['review_findings']>): Promise<void> {
  await trx.insertInto('review_findings').values(row).execute();
}

export async function updateFindingRow(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['review_findings']> & { updated_at: Date },
) {
  return trx.updateTable('review_findings').set(change).where('id', '=', id).returning(shown).executeTakeFirstOrThrow();
}

/** Returns the titles of a change request's dismissed findings. */
export async function listDismissedTitles(db: Kysely<DB>, changeRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('review_findings')
    .select('title')
    .where('change_request_id', '=', changeRequestId)
    .where('status', '=', 'dismissed')
    .orderBy('id')
    .limit(100)
    .execute();
  return rows.map(({ title }) => title);
}
