-- Why the prompt seemed to ask for a skill was the end of its reason, and stands beside that from now on.
update session_contexts
set given = jsonb_set(given, '{skills}', (
  select jsonb_agg(
    case when match is null then skill else skill || jsonb_build_object('match', match) end
    order by position)
  from jsonb_array_elements(given -> 'skills') with ordinality as given_skill (skill, position)
  cross join lateral (
    select substring(skill ->> 'reason' from '(?:^| )(The prompt (?:names it|shares words with it: [^.]*)\.)$') as match
  ) as found
))
where given @? '$.skills[*] ? (@.reason like_regex "The prompt (names it|shares words with it: [^.]*)[.]$")';
