import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { PromptWords } from './prompt-words.ts';

/** The different `repo_filter`s of an organization's enabled notes, each with how many notes have it. */
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
  /** Whose own notes are found beside everybody's. */
  userId: string;
  asked: PromptWords;
  /** How many enabled notes the organization has. */
  notes: number;
  /** The filters that let the session's repositories pass; null when any repository will do. */
  filters: readonly string[] | null;
  /** Whether notes of the scope `repository` are found. */
  isOnRepository: boolean;
  limit: number;
}

interface FoundNote {
  note_id: string;
  scope: string;
  repo_filter: string;
  /** What the words it shares with the prompt are worth, from 0 up. */
  worth: number;
  /** The worthiest of these words, as the prompt has them, and where the note does: 1 name, 2 trigger, 4 body. */
  shared: { word: string; fields: number }[];
}

/** A name that is known says more than a word, its parts next to nothing. */
const nameWorth = 4;
const markedWorth = 2;
const partWorth = 0.2;
/** As if so many more notes had none of the words: in a small organization too a word is rare at first. */
const unseen = 100;
/** A word of more notes than this share tells none of them apart. */
const common = 0.2;
/** So many of the prompt's words decide, the worthiest ones. */
const mostTerms = 40;
/** Less than this is a word in passing. */
const leastWorth = 0.75;
/** What is worth less than this share of the best note is beside the point. */
const leastShare = 0.4;

/** The notes that the words find, best first. The formula is explained at `rankNotes`. */
export async function searchNotes(db: Kysely<DB>, search: NoteSearch): Promise<FoundNote[]> {
  const { orgId, userId, asked, notes, filters, isOnRepository, limit } = search;
  // Candidates are looked up one by one, best first: enough are found long before the notes of other filters are read.
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

/** `chosen`: the terms that decide, each with its key, the word of the prompt it comes from, and its kind times its rarity. */
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
