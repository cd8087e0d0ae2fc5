import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { DB } from './types.ts';

/** A principal with its current name; `''` for the platform itself and for one that is gone. */
export interface NamedPrincipal {
  type: Selectable<DB['session_messages']>['created_by_type'];
  id: string;
  name: string;
}

/**
 * Returns SQL for the current name of the principal in `<column>_type` and `<column>_id`, by primary key. `column` names its
 * table, because tables of principals have columns of these names too: `secrets.created_by`.
 */
function principalName(column: `${string}.${string}`): string {
  return `coalesce(case ${column}_type
    when 'user' then (select named.name from users named where named.id = ${column}_id)
    when 'service_user' then (select named.name from service_users named where named.id = ${column}_id)
    when 'app' then (select named.name from apps named where named.id = ${column}_id)
    when 'provider' then split_part(${column}_id, ':', 2)
    when 'session' then (select named.title from sessions named where named.id = ${column}_id)
  end, '')`;
}

/** Returns SQL for the principal in `<column>_type` and `<column>_id`, as JSON. */
export function principalJson(column: `${string}.${string}`): string {
  return `json_build_object('type', ${column}_type, 'id', ${column}_id, 'name', ${principalName(column)})`;
}

/** Selects the principal in `<column>_type` and `<column>_id`, within the statement that reads the page. */
export function principal(column: `${string}.${string}`): RawBuilder<NamedPrincipal> {
  return sql<NamedPrincipal>`${sql.raw(principalJson(column))}`;
}

/** Like {@link principal}, but null where the columns are null or empty. */
export function principalOrNull(column: `${string}.${string}`): RawBuilder<NamedPrincipal | null> {
  return sql<NamedPrincipal | null>`case when ${sql.raw(column)}_type <> '' then ${sql.raw(principalJson(column))} end`;
}
