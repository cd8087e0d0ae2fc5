-- The bundles that a checkpoint is restored from, oldest first: [{blob, commit, size_bytes}]. Null is one bundle at `blob`,
-- as versions before this wrote it; a checkpoint that a later one superseded has none.
alter table session_checkpoints add column parts jsonb;
-- Whether the binary files of the patch may be shown; they are read from the bundles.
alter table session_checkpoints add column binaries boolean not null default false;
