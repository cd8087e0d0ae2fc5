import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principalOrNull } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import { firstIdAt } from '../../lib/ids.ts';
import type { NamedRepository } from '../../lib/providers.ts';
import type { RuleName, Stage } from './rules.ts';

/** Nothing else writes into these columns. */
interface ViolationColumns {
  rule: RuleName;
  evidence: StoredEvidence;
}

export interface StoredEvidence {
  stage: Stage;
  message: string;
  used: number | null;
  allowed: number | null;
  items: string[];
}

const shown = [
  'id',
  'repository_id',
  'repo',
  'rule',
  'action',
  'session_id',
  'evidence',
  'count',
  'created_at',
  principalOrNull('violations.acknowledged_by').as('acknowledged_by'),
  'acknowledged_at',
] as const;

export interface ViolationFilter {
  repositories?: readonly NamedRepository[];
  rules?: readonly string[];
  sessionIds?: readonly string[];
}

export function violationsQuery(db: Kysely<DB>, orgId: string, filter: ViolationFilter = {}) {
  const { repositories = [], rules = [], sessionIds = [] } = filter;
  return db
    .selectFrom('violations')
    .where('org_id', '=', orgId)
    .$if(rules.length > 0, (query) => query.where('rule', 'in', rules))
    .$if(sessionIds.length > 0, (query) => query.where('session_id', 'in', sessionIds))
    .$if(repositories.length > 0, (query) =>
      query.where(({ eb, or, and }) =>
        or(
          repositories.map(({ provider, repo }) =>
            and([
              eb(sql`lower(repo)`, '=', repo.toLowerCase()),
              ...(provider === undefined ? [] : [eb('provider', '=', provider)]),
            ]),
          ),
        ),
      ),
    );
}

export async function listViolationRows(
  query: ReturnType<typeof violationsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown).$narrowType<ViolationColumns>(), after, limit).execute();
}

export async function readViolation(db: Kysely<DB>, orgId: string, id: string) {
  return violationsQuery(db, orgId)
    .select(shown)
    .$narrowType<ViolationColumns>()
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function lockViolation(trx: Transaction<DB>, orgId: string, id: string) {
  return violationsQuery(trx, orgId)
    .select(shown)
    .$narrowType<ViolationColumns>()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Records a violation, or counts it to an equal one of the same minute. */
export async function insertViolation(trx: Transaction<DB>, row: Insertable<DB['violations']>) {
  return trx
    .insertInto('violations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'fold']).doUpdateSet({ count: sql<number>`violations.count + 1` }),
    )
    .returning('id')
    .returning(sql<boolean>`violations.count = 1`.as('is_new'))
    .executeTakeFirstOrThrow();
}

export async function acknowledgeRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  by: { type: string; id: string; at: Date },
): Promise<void> {
  await trx
    .updateTable('violations')
    .set({ acknowledged_by_type: by.type, acknowledged_by_id: by.id, acknowledged_at: by.at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Returns the next violations from before an instant, in the order of their ids, without those whose session works. */
export async function listOldViolations(
  db: Kysely<DB>,
  { orgId, after, before, limit }: { orgId: string; after: string; before: Date; limit: number },
) {
  return db
    .selectFrom('violations as v')
    .leftJoin('sessions as s', 's.id', 'v.session_id')
    .select('v.id')
    .select(sql<number>`pg_column_size(v)`.as('bytes'))
    .where('v.org_id', '=', orgId)
    .where('v.id', '>', after)
    .where('v.id', '<', firstIdAt('vio', before.getTime()))
    .where('v.created_at', '<', before)
    .where((eb) => eb.or([eb('s.id', 'is', null), eb('s.status', 'in', ['completed', 'failed', 'canceled'])]))
    .orderBy('v.id')
    .limit(limit)
    .execute();
}

export async function deleteViolations(db: Kysely<DB>, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('violations').where('id', 'in', ids).execute();
}
