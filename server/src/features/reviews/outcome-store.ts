import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { firstIdAt } from '../../lib/ids.ts';

/** A category is suggested for muting if so few of so many findings were fixed. */
const enough = 30;
const leastAddressed = 0.3;
const maxGroups = 100;

export interface OutcomeFilter {
  /** The first instant, and the one after the last. */
  from: Date;
  to: Date;
  repos?: readonly string[] | undefined;
  tag?: string | undefined;
}

interface Counts {
  posted: number;
  addressed: number;
  dismissed: number;
  silent: number;
}

/** Returns what became of the findings that reviews posted in a time: by severity, category and repository too. */
export async function reviewOutcomes(db: Kysely<DB>, orgId: string, filter: OutcomeFilter) {
  const rows = await countOutcomes(db, orgId, filter);
  const by = (key: 'severity' | 'category' | 'repo') => {
    const groups = Map.groupBy(rows, (row) => row[key]);
    const items = [...groups].map(([name, members]) => ({ name, ...outcomeOf(members) }));
    return items.toSorted((one, other) => other.posted - one.posted || (one.name < other.name ? -1 : 1));
  };
  const categories = by('category');
  return {
    ...outcomeOf(rows),
    by_severity: by('severity'),
    by_category: categories.slice(0, maxGroups),
    by_repository: by('repo').slice(0, maxGroups),
    suggested_mutes: categories
      .filter(({ posted, addressed_rate: rate }) => posted >= enough && rate !== null && rate < leastAddressed)
      .map(({ name }) => name)
      .slice(0, maxGroups),
  };
}

async function countOutcomes(db: Kysely<DB>, orgId: string, { from, to, repos, tag }: OutcomeFilter) {
  const { rows } = await sql<Counts & { severity: string; category: string; repo: string }>`
    select f.severity, f.category, r.provider || ':' || r.repo as repo,
      count(*)::integer as posted,
      (count(*) filter (where f.status = 'resolved'))::integer as addressed,
      (count(*) filter (where f.status = 'dismissed'))::integer as dismissed,
      (count(*) filter (where f.status = 'open' and c.state = 'merged'))::integer as silent
    from review_findings f
    join repositories r on r.id = f.repository_id
    join change_requests c on c.id = f.change_request_id
    where f.org_id = ${orgId} and f.posting = 'posted'
      and f.id >= ${firstIdAt('fnd', from.getTime())} and f.id < ${firstIdAt('fnd', to.getTime())}
      ${repos === undefined ? sql`` : sql`and lower(r.provider || ':' || r.repo) = any(${repos.map((repo) => repo.toLowerCase())}::text[])`}
      ${
        tag === undefined
          ? sql``
          : sql`and exists (select from reviews v join sessions s on s.id = v.session_id where v.id = f.first_review_id and ${tag} = any(s.tags))`
      }
    group by 1, 2, 3`.execute(db);
  return rows;
}

function outcomeOf(rows: readonly Counts[]) {
  const sum = (key: keyof Counts): number => rows.reduce((total, row) => total + row[key], 0);
  const posted = sum('posted');
  const rate = (key: keyof Counts): number | null =>
    posted === 0 ? null : Math.round((sum(key) / posted) * 1e6) / 1e6;
  return {
    posted,
    addressed: sum('addressed'),
    addressed_rate: rate('addressed'),
    dismissed: sum('dismissed'),
    dismissed_rate: rate('dismissed'),
    silent_at_merge: sum('silent'),
    silent_at_merge_rate: rate('silent'),
  };
}
