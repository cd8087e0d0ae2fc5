import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

export interface FollowFilter {
  /** The first instant, and the one after the last. */
  from: Date;
  to: Date;
  repos?: readonly string[] | undefined;
  tag?: string | undefined;
}

interface Counts {
  followed: number;
  rounds: number;
  fixed: number;
  red_to_green_seconds_p50: number | null;
  needed_person: number;
  merged: number;
  merged_without_human_commit: number;
}

/** Returns what became of the change requests that were followed from a time on, as of now. */
export async function followOutcomes(db: Kysely<DB>, orgId: string, { from, to, repos, tag }: FollowFilter) {
  const names = repos?.map((repo) => repo.toLowerCase());
  const { rows } = await sql<Counts>`
    with followed as (
      select f.memory, c.state from follows f
      join change_requests c on c.id = f.change_request_id
      join repositories r on r.id = f.repository_id
      where f.org_id = ${orgId} and f.created_at >= ${from} and f.created_at < ${to}
        ${names === undefined ? sql`` : sql`and lower(r.provider || ':' || r.repo) = any(${names}::text[])`}
        ${tag === undefined ? sql`` : sql`and exists (select from sessions s where s.id = f.session_id and ${tag} = any(s.tags))`}
    )
    select count(*)::integer as followed,
      coalesce(sum((memory ->> 'rounds')::integer), 0)::integer as rounds,
      coalesce(sum((memory ->> 'fixed')::integer), 0)::integer as fixed,
      (select percentile_cont(0.5) within group (order by ms::double precision) / 1000
       from followed, jsonb_array_elements_text(memory -> 'mended') as mended (ms)) as red_to_green_seconds_p50,
      (count(*) filter (where (memory ->> 'neededPerson')::boolean))::integer as needed_person,
      (count(*) filter (where state = 'merged'))::integer as merged,
      (count(*) filter (where state = 'merged' and (memory ->> 'humanCommits')::integer = 0))::integer
        as merged_without_human_commit
    from followed`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('an aggregate has one row');
  const share = (part: number, whole: number): number | null =>
    whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;
  return {
    ...counts,
    rounds_per_change_request: share(counts.rounds, counts.followed),
    needed_person_rate: share(counts.needed_person, counts.followed),
    merged_without_human_commit_rate: share(counts.merged_without_human_commit, counts.merged),
  };
}
