-- Why a worker takes no sessions; '' while it does.
alter table workers add column problem text not null default '';
