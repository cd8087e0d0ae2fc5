-- What a note is found by: each of its terms with what it is worth for that note, so that ranking reads no text.
alter table knowledge_notes add column number bigint generated always as identity unique;
-- Counts an organization's enabled notes, and lists their filters, without reading them.
create index knowledge_notes_enabled on knowledge_notes (org_id, repo_filter) where enabled;

/*
 * The terms of a text: the stems of its words, those inside names too (retry and budget of retryBudget); with `is_name`
 * its names as code has them, written alike and told from words by "()" (retrybudget() of retry_budget, has() of db.has or
 * `has`), and neighbours in a path (db.has, knowledge.ranking); and pairs of characters where a script knows no spaces.
 */
create function knowledge_terms_of(input text) returns table (term text, occurrences integer, is_name boolean)
language sql immutable parallel safe as $$
  with joined as (
    select regexp_replace(input, '([[:alnum:]])[_-]+(?=[[:alnum:]])', '\1', 'g') as text
  ), terms as (
    select word.lexeme as term, cardinality(word.positions) as occurrences, false as is_name
    from unnest(to_tsvector('pg_catalog.english', regexp_replace(
      regexp_replace(regexp_replace(input, '([[:lower:]\d])([[:upper:]])', '\1 \2', 'g'),
        '([[:upper:]]{2,})([[:upper:]][[:lower:]])', '\1 \2', 'g'),
      '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'))) as word
    union all
    select lower(regexp_replace(name[1], '([[:alnum:]])[_-]+(?=[[:alnum:]])', '\1', 'g')) || '()', 1, true
    from regexp_matches(input,
      '((?<=[.#:/>`])[[:alnum:]_$-]+|[[:alnum:]_$-]+(?=[(.`])|' ||
      '[[:alnum:]_$-]*(?:[[:alnum:]][_-]+[[:alnum:]]|[[:lower:]][[:upper:]]|\m[_$]+[[:alpha:]])[[:alnum:]_$-]*)', 'g') as name
    union all
    select lower(part) || '.' || lower(lead(part) over (partition by path.at order by parts.at)), 1, true
    from joined,
      regexp_matches(text, '[[:alnum:]_$]+(?:(?:\.|/|::|#|->)[[:alnum:]_$]+)+', 'g') with ordinality as path (found, at),
      regexp_split_to_table(found[1], '\.|/|::|#|->') with ordinality as parts (part, at)
    union all
    select character || lead(character) over (partition by run.at order by characters.at), 1, false
    from regexp_matches(input, '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}', 'g') with ordinality as run (found, at),
      string_to_table(found[1], null) with ordinality as characters (character, at)
  )
  select term, sum(occurrences)::integer, bool_or(is_name) from terms where length(term) between 2 and 64 group by term
$$;

/* Where a term of an organization is kept: the same on every machine and in every version of PostgreSQL. */
create function knowledge_term_key(org_id text, term text) returns bigint
language sql immutable parallel safe as $$
  select ('x' || left(md5(org_id || ' ' || term), 16))::bit(64)::bigint
$$;

create table knowledge_terms (
  -- Of the organization and the term, by knowledge_term_key.
  key bigint not null,
  note bigint not null references knowledge_notes (number) on delete cascade,
  -- From 0 to 1: what the term's occurrences are worth, by field and length.
  weight real not null,
  -- Where it occurs: 1 name, 2 trigger, 4 body.
  fields smallint not null
);
create unique index on knowledge_terms (key, note) include (weight);
create index on knowledge_terms (note);

/*
 * A note's terms by BM25F with fixed averages: an occurrence counts more in the name than in the trigger, more there than
 * in the body, less in a long field, and less with each that went before.
 */
create function knowledge_weights(name text, trigger text, body text)
returns table (term text, weight real, fields smallint) language sql immutable parallel safe as $$
  with found as (
    select terms.term, terms.occurrences, field.bit, field.worth,
      1 - field.by_length + field.by_length * sum(terms.occurrences) over (partition by field.bit) / field.usual as length
    from (values (name, 1, 2.5, 0.75, 3.3), (trigger, 2, 0.375, 0.6, 25), (body, 4, 0.125, 0.6, 120))
        as field (text, bit, worth, by_length, usual),
      knowledge_terms_of(field.text) as terms
  ), counted as (
    select found.term, sum(worth * occurrences / length) as count, bit_or(bit) as fields from found group by found.term
  )
  select counted.term, (count / (1 + count))::real, counted.fields::smallint from counted
$$;

create function index_knowledge_note() returns trigger language plpgsql as $$
begin
  delete from knowledge_terms where note = new.number;
  if new.enabled then
    insert into knowledge_terms (key, note, weight, fields)
    select knowledge_term_key(new.org_id, term), new.number, weight, fields
    from knowledge_weights(new.name, new.trigger, new.body);
  end if;
  return null;
end;
$$;
create trigger knowledge_note_inserted after insert on knowledge_notes
  for each row execute function index_knowledge_note();
create trigger knowledge_note_updated after update of name, trigger, body, enabled on knowledge_notes
  for each row when ((old.name, old.trigger, old.body, old.enabled) is distinct from (new.name, new.trigger, new.body, new.enabled))
  execute function index_knowledge_note();

insert into knowledge_terms (key, note, weight, fields)
select knowledge_term_key(org_id, term), number, weight, fields
from knowledge_notes, knowledge_weights(name, trigger, body)
where enabled;
