import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { builtInProvider, type Provider } from '../../lib/providers.ts';
import { defaultsOf } from '../settings/service.ts';

export type PolledRepository = Awaited<ReturnType<typeof listWatched>>[number];

/**
 * Returns repositories at other hosts of which something is watched: an open change request, an index, reviews, mentions, or an
 * automation's trigger. Those that were asked longest ago come first.
 */
export async function listWatched(db: Kysely<DB>, askedBefore: Date, limit: number) {
  return db
    .selectFrom('repositories as r')
    .innerJoin('organizations as o', 'o.id', 'r.org_id')
    .innerJoin('git_connections as c', (join) =>
      join.onRef('c.id', '=', 'r.connection_id').onRef('c.org_id', '=', 'r.org_id'),
    )
    .leftJoin('repository_polls as p', 'p.repository_id', 'r.id')
    .select(['r.id', 'r.org_id', 'r.repo', 'r.connection_id', 'r.default_branch'])
    .select(sql<Provider>`r.provider`.as('provider'))
    .select(['p.change_requests_until', 'p.issues_until', 'p.failures'])
    .select(sql<Record<string, string> | null>`p.heads`.as('heads'))
    .select(sql<string[]>`${triggerTypes}`.as('triggers'))
    .select(sql<boolean>`${hearsMentions}`.as('hears_mentions'))
    .where('r.provider', '<>', builtInProvider)
    .where('r.deleted_at', 'is', null)
    .where('o.state', '=', 'active')
    .where('c.state', '<>', 'revoked')
    .where(
      sql<boolean>`(r.index_state <> 'none'
        or exists (select from change_requests w where w.repository_id = r.id and w.state = 'open')
        or ${reviewMode} <> 'off'
        or cardinality(${triggerTypes}) > 0 or ${hearsMentions})`,
    )
    .where(
      sql<boolean>`(p.asked_at is null
        or p.asked_at + least(p.failures, 6) * interval '10 minutes' < ${askedBefore})`,
    )
    .orderBy(sql`p.asked_at asc nulls first`)
    .limit(limit)
    .execute();
}

/** As the repository's policy has it, or else the settings of its organization. */
const reviewMode = sql`coalesce(
  (select w.policy ->> 'mode' from review_policies w where w.repository_id = r.id),
  (select s.value ->> 'mode' from settings s where s.org_id = r.org_id and s.namespace = 'reviews'),
  ${defaultsOf('reviews').mode}::text)`;

const hearsMentions = sql`exists (
  select from follow_policies w where w.repository_id = r.id and w.mentions_since is not null)`;

const triggerTypes = sql`array(
  select distinct t.type from automation_triggers t join automations a on a.id = t.automation_id
  where t.org_id = r.org_id and a.enabled and a.status <> 'paused' and t.type in ('push', 'change_request', 'issue'))`;

/** Returns the head branches of a repository's open change requests, with their heads. */
export async function openHeads(db: Kysely<DB>, orgId: string, repositoryId: string, limit: number) {
  return db
    .selectFrom('change_requests')
    .select(['number', 'head_ref', 'head_sha'])
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('state', '=', 'open')
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute();
}

/** Records an attempt. */
export async function recordPoll(
  db: Kysely<DB>,
  { id, org_id }: Pick<PolledRepository, 'id' | 'org_id'>,
  poll: {
    asked_at: Date;
    change_requests_until: Date;
    issues_until: Date;
    heads: Readonly<Record<string, string>>;
    failures: number;
    problem: string;
  },
): Promise<void> {
  const row = { ...poll, heads: JSON.stringify(poll.heads) };
  await db
    .insertInto('repository_polls')
    .values({ repository_id: id, org_id, ...row })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(row))
    .execute();
}

/** Returns the connections of Apps, whose hosts tell which deliveries failed. */
export async function listAppConnections(db: Kysely<DB>, after: string, limit: number) {
  return db
    .selectFrom('git_connections as c')
    .innerJoin('organizations as o', 'o.id', 'c.org_id')
    .select(['c.id', 'c.org_id'])
    .select(sql<Provider>`c.provider`.as('provider'))
    .where('c.kind', '=', 'app')
    .where('c.state', '<>', 'revoked')
    .where('o.state', '=', 'active')
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .execute();
}
