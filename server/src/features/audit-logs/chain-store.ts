import { sql, type Kysely, type Transaction } from 'kysely';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import { entryLines, type EntryText } from './canonical.ts';
import { matches, type AuditFilters } from './store.ts';

/** The advisory lock for linking entries: only one process links at a time. */
const lockKey = 7_420_180_016;

/** Selects the entry `e` as {@link EntryText}. Few values, because each one costs the database more than its bytes. */
const entryText = `concat_ws(e'\\n', e.changes, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  to_json(e.actor_display), to_json(e.user_agent), e.action, e.actor_id, e.actor_type, e.id, e.ip, e.outcome, e.request_id,
  e.resource_id, e.resource_type)`;

/** Returns true if an entry is not linked yet, or a minute of refusals has ended. */
export async function hasWork(db: Database, closedBefore: Date): Promise<boolean> {
  const rows = await named<{ work: boolean }>(
    db,
    'audit_work',
    `select exists (select from audit_pending) or exists (select from audit_refusals where minute < $1) as work`,
    [closedBefore],
  );
  return rows[0]?.work ?? false;
}

/** Takes the lock until the transaction ends; returns false if another process has it and `wait` is not set. */
export async function lockChain(trx: Transaction<DB>, wait: boolean): Promise<boolean> {
  if (wait) {
    await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`.execute(trx);
    return true;
  }
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lockKey}::bigint) as got`.execute(
    trx,
  );
  return rows[0]?.got ?? false;
}

export interface PendingEntry {
  position: number;
  org_id: string;
  entry_id: string;
  /** Null if the entry was purged with its organization. */
  text: EntryText | null;
}

/** Returns the entries without a link, in the order of their insertion. */
export async function readPending(trx: Transaction<DB>, limit: number): Promise<PendingEntry[]> {
  const { rows } = await sql<PendingEntry>`
    select p.position, p.org_id, p.entry_id, ${sql.raw(entryText)} as text
    from (select * from audit_pending order by position limit ${limit}) p left join audit_entries e on e.id = p.entry_id
    order by p.position`.execute(trx);
  return rows;
}

export interface Head {
  org_id: string;
  seq: number;
  hash: string;
}

export async function readHeads(db: Kysely<DB>, orgIds: readonly string[]): Promise<Head[]> {
  const { rows } = await sql<Head>`
    select org_id, seq, encode(hash, 'hex') as hash from audit_heads where org_id = any(${orgIds}::text[])`.execute(db);
  return rows;
}

export interface NewLink {
  orgId: string;
  seq: number;
  entryId: string;
  prevHash: string;
  hash: string;
}

/** Appends links, moves the heads, and removes the entries from the pending ones. */
export async function appendLinks(
  trx: Transaction<DB>,
  links: readonly NewLink[],
  heads: readonly Head[],
  positions: readonly number[],
): Promise<void> {
  await sql`
    with linked as (
      insert into audit_chain (org_id, seq, entry_id, prev_hash, hash)
      select org_id, seq, entry_id, decode(prev_hash, 'hex'), decode(hash, 'hex')
      from unnest(${links.map(({ orgId }) => orgId)}::text[], ${links.map(({ seq }) => seq)}::bigint[],
                  ${links.map(({ entryId }) => entryId)}::text[], ${links.map(({ prevHash }) => prevHash)}::text[],
                  ${links.map((link) => link.hash)}::text[]) as l (org_id, seq, entry_id, prev_hash, hash)
    ), moved as (
      insert into audit_heads as h (org_id, seq, hash)
      select org_id, seq, decode(hash, 'hex')
      from unnest(${heads.map(({ org_id }) => org_id)}::text[], ${heads.map(({ seq }) => seq)}::bigint[],
                  ${heads.map((head) => head.hash)}::text[]) as n (org_id, seq, hash)
      on conflict (org_id) do update set seq = excluded.seq, hash = excluded.hash
    )
    delete from audit_pending where position = any(${positions}::bigint[])`.execute(trx);
}

export interface StoredLink {
  seq: number;
  hash: string;
  prevHash: string;
  /** The lines of its text; undefined if the entry is gone. */
  entry: string[] | undefined;
}

/** The lines of a link: its number, its hash, the previous hash, and those of its entry. */
const linesOfLink = 3 + entryLines;

/**
 * Returns the links after `after`, up to `last`, in order, each with its entry. They come as one text, which omits the
 * previous hash if that is the hash of the preceding link: every link is read here, and each row and value costs more
 * than its bytes. The entries are looked up one by one (`offset 0`), because the planner may otherwise read all of them
 * for each batch.
 */
export async function readLinks(db: Database, orgId: string, after: number, last: number): Promise<StoredLink[]> {
  const rows = await named<{ links: string | null }>(
    db,
    'audit_links',
    `select string_agg(link, e'\\n') as links from (
       select c.seq || e'\\n' || encode(c.hash, 'hex') || e'\\n' ||
         case when c.prev_hash = lag(c.hash) over (order by c.seq) then '=' else encode(c.prev_hash, 'hex') end
         || e'\\n' || coalesce(e.text, e'${'\\n'.repeat(entryLines - 1)}') as link
       from audit_chain c left join lateral (
         select ${entryText} as text from audit_entries e where e.id = c.entry_id and e.org_id = c.org_id offset 0
       ) e on true
       where c.org_id = $1 and c.seq > $2 and c.seq <= $3 order by c.seq) as ordered`,
    [orgId, after, last],
  );
  const text = rows[0]?.links ?? '';
  if (text === '') return [];
  const lines = text.split('\n');
  const links: StoredLink[] = [];
  let before = '';
  for (let at = 0; at < lines.length; at += linesOfLink) {
    const [seq = '', hash = '', prev = ''] = lines.slice(at, at + 3);
    const entry = lines.slice(at + 3, at + linesOfLink);
    links.push({
      seq: Number(seq),
      hash,
      prevHash: prev === '=' ? before : prev,
      entry: entry[0] === '' ? undefined : entry,
    });
    before = hash;
  }
  return links;
}

/** Returns the entry of a link; `''` if the link does not exist. */
export async function readLinkedId(db: Kysely<DB>, orgId: string, seq: number): Promise<string> {
  const query = db.selectFrom('audit_chain').select('entry_id').where('org_id', '=', orgId).where('seq', '=', seq);
  return (await query.executeTakeFirst())?.entry_id ?? '';
}

interface LinkedEntry {
  seq: number;
  hash: string;
  prevHash: string;
  text: EntryText;
}

/** Returns the linked entries after `after` that match the filters, in the order of the chain. */
export async function readLinkedEntries(
  db: Kysely<DB>,
  orgId: string,
  filters: AuditFilters,
  after: number,
  limit: number,
): Promise<LinkedEntry[]> {
  const { rows } = await sql<LinkedEntry>`
    select c.seq, encode(c.prev_hash, 'hex') as "prevHash", encode(c.hash, 'hex') as hash,
           ${sql.raw(entryText)} as text
    from audit_chain c join audit_entries e on e.id = c.entry_id and e.org_id = c.org_id
    where c.org_id = ${orgId} and c.seq > ${after} and ${matches('e', orgId, filters)}
    order by c.seq limit ${limit}`.execute(db);
  return rows;
}

export interface Census {
  entries: number;
  links: number;
  pending: number;
  /** The number of links after the head. */
  beyond: number;
}

/** Counts entries, links and pending ones at one instant. */
export async function readCensus(db: Kysely<DB>, orgId: string): Promise<Census> {
  const { rows } = await sql<Census>`
    select (select count(*) from audit_entries where org_id = ${orgId}) as entries,
           (select count(*) from audit_chain where org_id = ${orgId}) as links,
           (select count(*) from audit_pending where org_id = ${orgId}) as pending,
           (select count(*) from audit_chain where org_id = ${orgId}
             and seq > coalesce((select seq from audit_heads where org_id = ${orgId}), 0)) as beyond`.execute(db);
  return rows[0] ?? { entries: 0, links: 0, pending: 0, beyond: 0 };
}

/** Returns the first entry that is neither linked nor pending; `''` for none. */
export async function findUnlinked(db: Kysely<DB>, orgId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select e.id from audit_entries e
    where e.org_id = ${orgId}
      and not exists (select from audit_chain c where c.entry_id = e.id and c.org_id = e.org_id)
      and not exists (select from audit_pending p where p.entry_id = e.id)
    order by e.id limit 1`.execute(db);
  return rows[0]?.id ?? '';
}
