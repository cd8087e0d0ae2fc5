import { named, type Database } from '../../../db/pool.ts';
import type { EventRow } from './event-store.ts';

/** A part of a session's log: the events between two numbers, without these. */
export interface EventRange {
  orgId: string;
  sessionId: string;
  after: number;
  before: number;
  /** Empty for every kind. */
  kinds: readonly string[];
}

/** Enough for an exact `total`; a kind with more counts as this many. */
const countedEvents = 10_001;

const columns = 'seq, id, kind, phase, turn, attempt_no, data, created_at';
const shown = 'seq, id, kind, phase, turn, attempt_no, data::text as data, created_at';
const inRange = 'session_id = $1 and org_id = $2 and seq > $3 and seq < $4';

/** Each kind has its part of an index, so a rare kind is found without reading the others. */
function ofKinds(select: string, rest: string): string {
  return `unnest($5::text[]) as wanted (one) cross join lateral (
    select ${select} from session_events where ${inRange} and kind = wanted.one ${rest}) events`;
}

/** Returns the first events of a part of the log, or the last ones first. */
export async function readEvents(
  db: Database,
  { orgId, sessionId, after, before, kinds }: EventRange,
  { order, limit }: { order: 'asc' | 'desc'; limit: number },
): Promise<EventRow[]> {
  const sorted = `order by seq ${order} limit $6`;
  const source = `from (select ${columns} from ${ofKinds(columns, sorted)} ${sorted}) page order by seq ${order}`;
  const all = `from session_events where ${inRange} and cardinality($5::text[]) = 0 ${sorted}`;
  return named<EventRow>(
    db,
    `events_${kinds.length === 0 ? 'all' : 'kinds'}_${order}`,
    `select ${shown} ${kinds.length === 0 ? all : source}`,
    [sessionId, orgId, after, before, kinds, limit],
  );
}

/** Returns the number of events of some kinds in a part of the log; more than 10,000 of a kind count as 10,001. */
export async function countEvents(db: Database, { orgId, sessionId, after, before, kinds }: EventRange) {
  const rows = await named<{ count: number }>(
    db,
    'events_count',
    `select count(*) as count from ${ofKinds('seq', `limit ${countedEvents}`)}`,
    [sessionId, orgId, after, before, kinds],
  );
  return rows[0]?.count ?? 0;
}

/** Returns these events, in order. */
export async function readEventsAt(
  db: Database,
  { orgId, sessionId }: Pick<EventRange, 'orgId' | 'sessionId'>,
  seqs: readonly number[],
): Promise<EventRow[]> {
  return named<EventRow>(
    db,
    'events_at',
    `select ${shown} from session_events where session_id = $1 and org_id = $2 and seq = any($3::bigint[]) order by seq`,
    [sessionId, orgId, seqs],
  );
}
