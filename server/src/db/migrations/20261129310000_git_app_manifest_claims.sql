-- One request exchanges the code of a manifest flow. The state ends with the App that it becomes, or with GitHub's refusal.
alter table git_app_manifests
  -- Until when one request has the exchange to itself; null for none.
  add column claimed_until timestamptz;
