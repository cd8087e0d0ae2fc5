-- Pagure is the fourth provider.
alter table git_connections
  drop constraint git_connections_provider_check,
  add check (provider in ('github', 'gitlab', 'pagure', 'local'));
alter table repositories
  drop constraint repositories_provider_check,
  add check (provider in ('github', 'gitlab', 'pagure', 'local'));
alter table memory_notes
  drop constraint memory_notes_provider_check,
  add check (provider in ('github', 'gitlab', 'pagure', 'local'));
alter table memory_generated
  drop constraint memory_generated_provider_check,
  add check (provider in ('github', 'gitlab', 'pagure', 'local'));
