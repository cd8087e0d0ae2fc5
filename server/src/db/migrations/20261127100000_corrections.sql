-- -1 in a row that takes back an earlier one, which a later event showed to be wrong: it has the same time and attributes, so
-- that the sums of its day are right again.
alter table measurements add column count smallint not null default 1 check (count in (1, -1));
