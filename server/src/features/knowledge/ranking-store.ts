import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { PromptWords } from './prompt-words.ts';

/** Returns the distinct `repo_filter`s of an organization's enabled notes, each with its number of notes. */
export async function countFilters(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('knowledge_notes')
    .select((eb) => ['repo_filter', eb.fn.countAll<number>().as('notes')])
    .where('org_id', '=', orgId)
    .where('enabled', '=', true)
    .groupBy('repo_filter')
    .execute();
}

export interface NoteSearch {
  orgId: string;
  /** The user whose own notes are searched beside the shared ones. */
  userId: string;
  asked: PromptWords;
  /** Number of the organization's enabled notes. */
  notes: number;
  /** The filters that match the session's repositories; null if any repository will do. */
  filters: readonly string[] | null;
  /** True if notes of the scope `repository` are searched. */
  isOnRepository: boolean;
  limit: number;
}

interface FoundNote {
  note_id: string;
  scope: string;
  repo_filter: string;
  /** Relevance by the words shared with the prompt, from 0. */
  worth: number;
  /** The most relevant shared words, spelled as in the prompt, and where the note has them: 1 name, 2 trigger, 4 body. */
  shared: { word: string; fields: number }[];
}

/** A known name weighs more than a word, and its parts almost nothing. */
const nameWorth = 4;
const markedWorth = 2;
const partWorth = 0.2;
/** Added to the number of notes without the word: words are rare in a small organization at first. */
const unseen = 100;
/** A word in more than this share of the notes does not distinguish them. */
const common = 0.2;
/** Only the most relevant words of a prompt count. */
const mostTerms = 40;
/** Minimum relevance; a note below it mentions a word in passing. */
const leastWorth = 0.75;
/** Minimum relevance relative to the best note. */
const leastShare = 0.4;

/** Finds notes by words, best first. `rankNotes` explains the formula. */
export async function searchNotes(db: Kysely<DB>, search: NoteSearch): Promise<FoundNote[]> {
  const { orgId, userId, asked, notes, filters, isOnRepository, limit } = search;
  // Looks candidates up one by one, best first: enough are found long before the notes of other filters are read.
  const { rows } = await sql<FoundNote>`
    with ${chosenTerms(orgId, asked, notes)}, scored as materialized (
      select note, sum(chosen.worth * weight) as worth
      from chosen join knowledge_terms using (key)
      group by note
      having sum(chosen.worth * weight) >= ${sql.lit(leastWorth)}
      order by worth desc, note desc
    ), found as materialized (
      select scored.note, scored.worth, fitting.*
      from scored, lateral (
        select id, scope, repo_filter from knowledge_notes
        where number = scored.note and org_id = ${orgId} and enabled
          and (scope <> 'user' or user_id = ${userId})
          and (${isOnRepository} or scope <> 'repository')
          and (${filters === null} or repo_filter = any(${filters ?? []}::text[]))
        limit 1
      ) as fitting
      order by worth desc, note desc
      limit ${limit}
    )
    select id as note_id, scope, repo_filter, worth, (
      select coalesce(json_agg(json_build_object('word', word, 'fields', fields)), '[]') from (
        select word, (array_agg(fields order by chosen.worth * weight desc))[1] as fields
        from chosen join knowledge_terms using (key)
        where knowledge_terms.note = found.note
        group by word
        order by max(chosen.worth * weight) desc, word
        limit 3
      ) as best
    ) as shared
    from found
    where worth >= ${sql.lit(leastShare)} * (select max(worth) from found)
    order by worth desc, note desc`.execute(db);
  return rows;
}

/** `chosen`: the terms that count, each with its key, its word in the prompt, and its kind times its rarity. */
function chosenTerms(orgId: string, { words, code, names }: PromptWords, notes: number) {
  const total = notes + unseen;
  const most = Math.floor(total * common);
  return sql`
    asked (word, term, is_name, worth) as (
      select word, stem, false, 1
      from unnest(${words}::text[]) as word,
        unnest(case when word ~ '\\d' then array[word] else coalesce(ts_lexize('english_stem', word), array[word]) end) as stem
      union all
      select word, term, is_name, case when is_name then ${sql.lit(nameWorth)} else ${sql.lit(markedWorth)} end
      from unnest(${code}::text[]) as word, knowledge_terms_of('\`' || word || '\`')
      union all
      select word, term, is_name, case when is_name then ${sql.lit(nameWorth)} end
      from unnest(${names}::text[]) as word, knowledge_terms_of('\`' || word || '\`')
    ), known as materialized (
      select asked.*, knowledge_term_key(${orgId}, term) as key from asked
    ), counted as materialized (
      select known.*, held.notes, bool_or(is_name and held.notes > 0) over (partition by word) as is_known
      from known, lateral (
        select count(*) as notes from (select from knowledge_terms where key = known.key limit ${most + 1}) as holders
      ) as held
    ), chosen as materialized (
      select key, min(word) as word,
        (max(coalesce(worth, case when is_known then ${sql.lit(partWorth)} else 1 end))
          * ln(1 + (${total}::float8 - max(notes) + 0.5) / (max(notes) + 0.5)))::float8 as worth
      from counted
      where notes between 1 and ${most}
      group by key
      order by worth desc, key
      limit ${sql.lit(mostTerms)}
    )`;
}
