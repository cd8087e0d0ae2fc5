import { sql, type SelectQueryBuilder } from 'kysely';

/** Up to `limit` rows behind the id `after`, newest first: ids sort by creation time. */
export function newestFirst<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  after: string | undefined,
  limit: number,
): SelectQueryBuilder<Tables, Table, Row> {
  const page = after === undefined ? query : query.where(sql.ref('id'), '<', after);
  return page.orderBy(sql.ref('id'), 'desc').limit(limit);
}
