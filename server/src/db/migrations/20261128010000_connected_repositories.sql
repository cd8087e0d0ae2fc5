-- A connection may be deleted by force: its repositories stay, and can be given another one.
alter table repositories drop constraint repositories_connection_id_fkey;
