-- Who wrote last what runs in the sandboxes of others: 'administrator', '<type>:<id>', or '' where several did, or nobody
-- knows. What was there before counts as somebody else's until it is written again.
alter table repositories add column environment_written_by text not null default '';
alter table mcp_servers add column written_by text not null default '';
alter table mcp_server_secrets add column written_by text not null default '';
alter table skill_revisions add column written_by text not null default '';

-- What the value was set for: the server's address, or all that says what its program does. It goes nowhere else.
alter table mcp_server_secrets add column target jsonb;
update mcp_server_secrets s set target = jsonb_build_array(m.url, m.command, to_jsonb(m.args), m.env)
from mcp_servers m where m.id = s.server_id;
alter table mcp_server_secrets alter column target set not null;
