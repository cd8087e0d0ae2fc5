-- An account owns its e-mail address once that is verified. Any number may bear one that they do not own.
drop index users_email;
create unique index users_owned_email on users (lower(email)) where email_verified_at is not null;
create index users_email on users (lower(email), created_at, id);
