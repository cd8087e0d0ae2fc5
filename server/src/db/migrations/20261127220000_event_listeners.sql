-- Events walk through the triggers that listen to them, in pages.
create index on automation_triggers (org_id, type, automation_id, id);
drop index automation_triggers_org_id_type_idx;
