-- Retention keeps an attachment while a session that has not ended uses it.
create index session_messages_attachments on session_messages using gin (attachment_ids) where attachment_ids <> '{}';
