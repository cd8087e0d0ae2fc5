-- A turn is what a person began. Within it the agent may be prompted again by the platform: each prompt is a round.
alter table sessions add column round integer not null default 0;
update sessions set round = turn where turn > 0;
-- Which round took a message.
alter table session_messages rename column turn to round;
