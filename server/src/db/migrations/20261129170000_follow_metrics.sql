-- Times from red to green, and if a person was needed.
update follows set memory = '{"mended": [], "neededPerson": false}' || memory;
create index on follows (org_id, created_at);
