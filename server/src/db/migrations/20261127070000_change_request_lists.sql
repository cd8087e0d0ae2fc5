-- Change requests of all repositories, newest first: by state, by author, and of some repositories.
create index change_requests_state on change_requests (org_id, state, id desc);
create index change_requests_author on change_requests (org_id, author_id, id desc);
create index change_requests_repository on change_requests (repository_id, id desc);
