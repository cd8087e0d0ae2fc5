alter table automations add check (created_by_type in ('user', 'service_user', 'app', 'session', 'system'));
