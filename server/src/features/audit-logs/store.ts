import { sql, type Expression, type Kysely, type RawBuilder } from 'kysely';
import type { PrincipalKind } from '../../caller.ts';
import type { DB } from '../../db/types.ts';

/** The filters of a list; an absent or empty one matches everything. */
export interface AuditFilters {
  actions: string[];
  actorIds: string[];
  resourceTypes: string[];
  resourceIds: string[];
  outcomes: string[];
  createdAfter: Date | undefined;
  createdBefore: Date | undefined;
}

export interface TrailRow {
  id: string;
  seq: number;
  action: string;
  actor_type: PrincipalKind;
  actor_id: string;
  actor_display: string;
  resource_type: string;
  resource_id: string;
  outcome: 'success' | 'denied' | 'error';
  ip: string;
  user_agent: string;
  request_id: string;
  changes: Record<string, unknown>;
  created_at: Date;
  prev_hash: string;
  hash: string;
}

/** Returns the filters as a condition on the columns of `table`, which has those of an entry. */
export function matches(table: 'audit_trail' | 'e', orgId: string, filters: AuditFilters): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const conditions = [sql`${column('org_id')} = ${orgId}`];
  for (const [name, values] of [
    ['action', filters.actions],
    ['actor_id', filters.actorIds],
    ['resource_type', filters.resourceTypes],
    ['resource_id', filters.resourceIds],
    ['outcome', filters.outcomes],
  ] as const)
    if (values.length > 0) conditions.push(sql`${column(name)} = any(${values}::text[])`);
  const { createdAfter, createdBefore } = filters;
  if (createdAfter !== undefined) conditions.push(sql`${column('created_at')} > ${createdAfter}`);
  if (createdBefore !== undefined) conditions.push(sql`${column('created_at')} < ${createdBefore}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

export function trailQuery(db: Kysely<DB>, orgId: string, filters: AuditFilters) {
  return db.selectFrom('audit_trail').where(matches('audit_trail', orgId, filters));
}

export async function listTrailRows(
  query: ReturnType<typeof trailQuery>,
  page: { after: string | undefined; limit: number; order: 'asc' | 'desc' },
  db: Kysely<DB>,
): Promise<TrailRow[]> {
  const { after, limit, order } = page;
  const rows = query
    .selectAll()
    .$if(after !== undefined, (some) => some.where('id', order === 'desc' ? '<' : '>', after ?? ''))
    .orderBy('id', order)
    .limit(limit);
  return withLinks(db, rows, order);
}

export async function readTrailRow(db: Kysely<DB>, orgId: string, id: string): Promise<TrailRow | undefined> {
  const rows = db.selectFrom('audit_trail').selectAll().where('org_id', '=', orgId).where('id', '=', id);
  return (await withLinks(db, rows, 'asc'))[0];
}

/** Joins links to rows of the audit log after the rows are selected. */
async function withLinks(db: Kysely<DB>, rows: Expression<unknown>, order: 'asc' | 'desc'): Promise<TrailRow[]> {
  const result = await sql<TrailRow>`
    select page.*, coalesce(c.seq, 0) as seq, coalesce(encode(c.prev_hash, 'hex'), '') as prev_hash,
           coalesce(encode(c.hash, 'hex'), '') as hash
    from (${rows}) as page left join audit_chain c on c.entry_id = page.id and c.org_id = page.org_id
    order by page.id ${sql.raw(order)}`.execute(db);
  return result.rows;
}
