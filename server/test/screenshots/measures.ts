import { rollUpAll } from '../support/rollups.ts';
import type { Shop } from './world.ts';

const days = 24;
const sessions = 220;

/** The use of the last weeks: less at weekends, and more every week. */
const seeded = `
  with s as materialized (
    select n, 'ses_' || lpad(to_hex(n), 26, '0') as id, h, r,
      (array['user', 'user', 'user', 'service_user'])[1 + h % 4] as principal_type,
      ($4::text[])[1 + h % cardinality($4::text[])] as principal_id,
      case when n % 6 = 0 then 'automation' when n % 7 = 3 then 'review' when n % 3 = 0 then 'console' else 'api' end as origin,
      (array['local:acme/billing', 'local:acme/billing', 'local:acme/storefront', 'local:acme/storefront', 'local:acme/ledger',
        'local:acme/mobile-app', 'local:acme/infrastructure'])[1 + r % 7] as repository,
      case when n % 6 = 0 then $5::text else '' end as automation_id,
      case h % 4 when 0 then array['bug'] when 1 then array['dependencies'] else '{}'::text[] end as tags, at
    from (select n, abs(hashint4(n)::bigint) as h, abs(hashint4(n + 7)::bigint) as r,
        date_trunc('day', now()) - $3::int * interval '1 day' * (1 - sqrt(n::float8 / $2::int))
          + (8 + n % 10) * interval '1 hour' as at
      from generate_series(1, $2::int) n) n
    where extract(isodow from at) < 6 or h % 5 = 0
  )`;

const calls = `
  insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model, input_tokens,
    output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at, automation_id, tags, group_ids)
  select 'use_' || lpad(to_hex(n * 4 + c), 26, '0'), $1, id, principal_type, principal_id, origin, repository,
    case when h % 5 < 3 then 'anthropic' else 'openai' end,
    (array['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4.5', 'openai/gpt-5.2', 'openai/gpt-5.2-mini'])[1 + h % 5],
    20000 + h % 90000, 900 + (h / 7) % 4000, 9000 + h % 40000, 0, (40000 + (h * c) % 190000)::numeric / 1000000, 'published',
    at + c * interval '40 seconds', automation_id, tags, '{}'
  from s cross join generate_series(1, 4) c`;

const events = `
  insert into measurements (id, org_id, metric, session_id, principal_type, principal_id, origin, repository, automation_id, tags,
    group_ids, amount, created_at)
  select m.metric || '/' || id, $1, m.metric, id, principal_type, principal_id, origin, repository, automation_id, tags, '{}',
    m.amount, at + m.minutes * interval '1 minute'
  from s cross join lateral (values
    ('session.created', 0::numeric, 0), ('session.queued', (exp(h % 300 / 100.0))::numeric, 1),
    ('session.sandbox', (60 + h % 500)::numeric, 11), (case when h % 4 = 0 then 'session.waits' end, 0, 12),
    (case when h % 4 = 0 then 'session.waited' end, (exp(h % 700 / 100.0))::numeric, 20),
    (case when h % 9 = 0 then 'session.failed' else 'session.completed' end, 0, 21),
    (case when h % 5 = 0 then 'session.verify_failed' else 'session.verify_passed' end, 0, 21),
    (case when h % 5 < 4 then 'change_request.opened' end, (200 + h % 900)::numeric, 21),
    (case when h % 5 < 3 then 'change_request.merged' when h % 5 = 3 then 'change_request.closed' end, (h % 40000)::numeric, 60),
    (case when principal_type = 'user' then 'user.active' end, 0, 1)
  ) m (metric, amount, minutes)
  where m.metric is not null and at < now()`;

/** Costs and figures of the last weeks, rolled up as the server does it. */
export async function measure(shop: Shop): Promise<void> {
  const people = Object.values(shop.people);
  const values = [shop.orgId, sessions, days, people, shop.values['automations/{id}'] ?? ''];
  await shop.sql(`${seeded} ${calls}`, values);
  await shop.sql(`${seeded} ${events}`, values);
  await rollUpAll(shop.api.ctx);
}
