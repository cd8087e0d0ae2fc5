-- Which turn took a message: a worker that goes on with another one's turn gives the agent the same words.
alter table session_messages add column turn integer not null default 0;
-- False from the beginning of the newest turn to its end, over any number of workers.
alter table sessions add column turn_ended boolean not null default true;
