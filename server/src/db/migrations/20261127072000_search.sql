-- What can be found by its words, kept by triggers. Every word begins with a hash of the organization, the type, and the owner
-- of a private note, so that the index leads to the documents of one organization only, however many others have the word.
create table search_documents (
  org_id text not null references organizations (id) on delete cascade,
  type text not null check (type in ('session', 'change_request', 'repository', 'note', 'automation', 'member')),
  id text not null,
  words tsvector not null,
  primary key (org_id, type, id)
);

create function search_scope(org_id text, type text, owner text) returns text language sql immutable parallel safe
  return left(md5(org_id || ' ' || type || ' ' || owner), 8);

-- The words of the start of a text, in lower case: runs of letters, digits and anything that is no punctuation; characters of
-- scripts without spaces are words of their own.
create function search_words(content text) returns setof text language sql immutable parallel safe as $$
  select distinct left(word, 40) from (
    select word from regexp_split_to_table(
      regexp_replace(lower(left(content, 1000)), '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \1 ', 'g'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+') as word
    where word <> '' limit 60) as first
$$;

create function search_vector(scope text, content text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(select scope || word from search_words(content) as word))
$$;

-- Matches documents with every word of a text, each as the start of a word; null for a text without words.
create function search_query(scope text, content text) returns tsquery language sql immutable parallel safe as $$
  select string_agg(quote_literal(scope || word) || ':*', ' & ')::tsquery from search_words(content) as word
$$;

create function put_search_document(of_org text, of_type text, of_id text, owner text, content text) returns void
language sql as $$
  insert into search_documents (org_id, type, id, words)
  values (of_org, of_type, of_id, search_vector(search_scope(of_org, of_type, owner), content))
  on conflict (org_id, type, id) do update set words = excluded.words
$$;

create function search_session() returns trigger language plpgsql as $$
begin
  perform put_search_document(new.org_id, 'session', new.id, '', concat_ws(' ', new.title, left(new.prompt, 1000)));
  return null;
end $$;
create trigger sessions_searched after insert or update of title, prompt on sessions
  for each row execute function search_session();

create function search_change_request() returns trigger language plpgsql as $$
begin
  perform put_search_document(new.org_id, 'change_request', new.id, '', concat_ws(' ', new.number, new.title, new.head_ref));
  return null;
end $$;
create trigger change_requests_searched after insert or update of title, head_ref on change_requests
  for each row execute function search_change_request();

create function search_repository() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    perform put_search_document(new.org_id, 'repository', new.id, '', new.repo);
  else
    delete from search_documents where org_id = new.org_id and type = 'repository' and id = new.id;
  end if;
  return null;
end $$;
create trigger repositories_searched after insert or update of repo, deleted_at on repositories
  for each row execute function search_repository();

create function search_note() returns trigger language plpgsql as $$
begin
  perform put_search_document(new.org_id, 'note', new.id, coalesce(new.user_id, ''), concat_ws(' ', new.name, new.trigger));
  return null;
end $$;
create trigger knowledge_notes_searched after insert or update of name, trigger, scope, user_id on knowledge_notes
  for each row execute function search_note();

create function search_automation() returns trigger language plpgsql as $$
begin
  perform put_search_document(new.org_id, 'automation', new.id, '', new.name);
  return null;
end $$;
create trigger automations_searched after insert or update of name on automations
  for each row execute function search_automation();

create function search_member() returns trigger language plpgsql as $$
begin
  perform put_search_document(new.org_id, 'member', new.user_id, '', concat_ws(' ', name, email))
  from users where id = new.user_id;
  return null;
end $$;
create trigger members_searched after insert on members for each row execute function search_member();
create function search_user() returns trigger language plpgsql as $$
begin
  perform put_search_document(org_id, 'member', user_id, '', concat_ws(' ', new.name, new.email))
  from members where user_id = new.id;
  return null;
end $$;
create trigger users_searched after update of name, email on users for each row
  when ((old.name, old.email) is distinct from (new.name, new.email)) execute function search_user();

create function forget_search_document() returns trigger language plpgsql as $$
begin
  delete from search_documents
  where org_id = old.org_id and type = tg_argv[0] and id = to_jsonb(old) ->> tg_argv[1];
  return null;
end $$;
create trigger sessions_forgotten after delete on sessions
  for each row execute function forget_search_document('session', 'id');
create trigger change_requests_forgotten after delete on change_requests
  for each row execute function forget_search_document('change_request', 'id');
create trigger repositories_forgotten after delete on repositories
  for each row execute function forget_search_document('repository', 'id');
create trigger knowledge_notes_forgotten after delete on knowledge_notes
  for each row execute function forget_search_document('note', 'id');
create trigger automations_forgotten after delete on automations
  for each row execute function forget_search_document('automation', 'id');
create trigger members_forgotten after delete on members
  for each row execute function forget_search_document('member', 'user_id');

insert into search_documents
select org_id, 'session', id, search_vector(search_scope(org_id, 'session', ''), concat_ws(' ', title, left(prompt, 1000)))
from sessions
union all
select org_id, 'change_request', id,
  search_vector(search_scope(org_id, 'change_request', ''), concat_ws(' ', number, title, head_ref))
from change_requests
union all
select org_id, 'repository', id, search_vector(search_scope(org_id, 'repository', ''), repo)
from repositories where deleted_at is null
union all
select org_id, 'note', id, search_vector(search_scope(org_id, 'note', coalesce(user_id, '')), concat_ws(' ', name, trigger))
from knowledge_notes
union all
select org_id, 'automation', id, search_vector(search_scope(org_id, 'automation', ''), name) from automations
union all
select m.org_id, 'member', m.user_id, search_vector(search_scope(m.org_id, 'member', ''), concat_ws(' ', u.name, u.email))
from members m join users u on u.id = m.user_id;
create index search_documents_words on search_documents using gin (words);
