-- The latest time of a schedule that started a run: the settings say how soon another one may.
alter table automation_triggers add column last_due_at timestamptz;
