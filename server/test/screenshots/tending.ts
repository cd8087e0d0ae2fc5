import { insertDeliveries } from '../../src/features/webhooks/delivery-store.ts';
import { recordViolations } from '../../src/features/guardrails/violation-service.ts';
import { newId } from '../../src/lib/ids.ts';
import { ago, each, type Shop } from './world.ts';

const day = 24 * 60;

const automations = [
  {
    name: 'Nightly dependency updates',
    triggers: [{ type: 'schedule', cron: '30 2 * * 1-5', timezone: 'Europe/Berlin' }],
    action: {
      prompt_template: 'Update the dependencies that have a new minor version. Read each changelog.',
      repositories: [{ repo: 'acme/storefront' }],
      tags: ['dependencies'],
      budget: { max_cost_usd: 2 },
    },
    retry: { max_attempts: 3, backoff_seconds: 60 },
  },
  {
    name: 'Triage failed builds',
    triggers: [
      {
        type: 'webhook',
        conditions: [
          { path: '/build/status', operator: 'equals', value: 'failed' },
          { path: '/build/branch', operator: 'matches', value: 'release/*' },
        ],
      },
    ],
    action: {
      prompt_template: 'The build {{payload.build.url}} failed. Find out why, and fix it if it is our code.',
      repositories: [{ repo: 'acme/infrastructure' }],
      tags: ['on-call'],
    },
    concurrency: 'queue',
  },
  {
    name: 'Weekly report of what customers noticed',
    triggers: [{ type: 'schedule', cron: '0 9 * * 1', timezone: 'Europe/Berlin' }],
    action: {
      prompt_template: 'Write release notes of the last week with the skill release-notes.',
      repositories: [{ repo: 'acme/storefront' }],
      deliver: 'none',
    },
    missed_runs: 'run_once',
  },
  {
    name: 'Check new change requests',
    triggers: [{ type: 'change_request' }],
    action: {
      prompt_template: 'Read the change request. Name what a reviewer should look at.',
      repositories: [{ repo: 'acme/billing' }],
      deliver: 'none',
    },
    enabled: false,
  },
];

/** Automations with what they did, guardrails with what they stopped, webhooks with what they sent, and settings. */
export async function tend(shop: Shop): Promise<void> {
  const { ask, values } = shop;
  await each(automations, async (automation, at) => {
    const { id } = await ask('POST', '/automations', automation);
    values['automations/{id}'] ??= String(id);
    if (at < 3) await ranBefore(shop, String(id), at);
  });
  await guard(shop);
  await tell(shop);
  await ask('PUT', '/settings/sandbox', {
    cpu: 4,
    memory_mb: 8_192,
    network: 'allowlist',
    allowed_hosts: ['registry.acme.example', '*.acme.example'],
  });
  await ask('PUT', '/settings/sessions', { max_minutes: 120, max_concurrent: 20, approval_timeout_minutes: 480 });
  values['settings/{namespace}'] = 'sandbox';
}

/** Adds runs of the last weeks, as the schedule would have started them. */
async function ranBefore(shop: Shop, automation: string, which: number): Promise<void> {
  const outcomes = [
    'succeeded',
    'succeeded',
    'succeeded',
    'failed',
    'succeeded',
    'succeeded',
    'timed_out',
    'succeeded',
    'succeeded',
    'skipped',
    'succeeded',
    'succeeded',
  ] as const;
  await each(outcomes.slice(which), async (status, at) => {
    const id = newId('run');
    const due = new Date(ago(day * (outcomes.length - at)).setUTCHours(1, 30, 0, 0));
    const began = new Date(due.getTime() + 1_200);
    const ended = new Date(began.getTime() + (status === 'timed_out' ? 3_600_000 : 190_000 + at * 21_000));
    const ran = status !== 'skipped';
    await shop.sql(
      `insert into automation_runs (id, org_id, automation_id, status, executor, exclusive, trigger, deduplication_key, scheduled_at,
         fencing_token, token_attempt_no, attempt_no, outcome, summary, error_class, error_message, latency_ms, skip_reason,
         created_at, started_at, attempt_started_at, ended_at)
       values ($1, $2, $3, $4, 'platform', false, $5, $1, $6, $15, $15, $7, $8, $9, $10, $11, 1200, $12, $6, $13, $13, $14)`,
      [
        id,
        shop.orgId,
        automation,
        status,
        which === 1 ? 'webhook' : 'schedule',
        due,
        status === 'failed' ? 3 : 1,
        ran ? status : '',
        status === 'succeeded' ? 'Updated 4 packages; all checks pass.' : '',
        status === 'failed' ? 'verify_failed' : '',
        status === 'failed' ? 'The check still fails after three attempts: npm test exited with 1.' : '',
        ran ? '' : 'The run before it was still on.',
        ran ? began : null,
        ended,
        ran ? 1 : 0,
      ],
    );
    if (which === 0 && status === 'failed') shop.values['automations/runs/{runId}'] = id;
  });
}

async function guard(shop: Shop): Promise<void> {
  const { api, orgId, ask, values } = shop;
  await ask('PUT', '/guardrails/default', {
    max_cost_per_session_usd: 10,
    max_changed_files: 60,
    protected_branches: ['main', 'release/*'],
    commands_denied: ['git push --force', 'npm publish'],
    secret_scan: 'block',
  });
  const id = values['repositories/{id}'] ?? '';
  await ask('PUT', `/guardrails/${id}`, {
    max_changed_files: 30,
    protected_paths: ['db/migrations/00*', '.github/'],
    require_plan_approval: true,
    max_cost_per_day_usd: 40,
  });
  const repository = { id, provider: 'local', repo: 'acme/billing' };
  const sessionId = values['sessions/{id}'] ?? '';
  const findings = [
    {
      rule: 'protected_paths',
      stage: 'push',
      action: 'blocked',
      message: 'The change touches protected files: .github/workflows/release.yml. Leave them as they are.',
      items: ['.github/workflows/release.yml'],
    },
    {
      rule: 'commands_denied',
      stage: 'tool_call',
      action: 'blocked',
      message: 'The command "npm publish" is not allowed here.',
      items: ['npm publish --tag next'],
    },
    {
      rule: 'max_changed_files',
      stage: 'push',
      action: 'blocked',
      message: 'The change has 41 files; 30 are allowed. Split it.',
      used: 41,
      allowed: 30,
    },
    {
      rule: 'secret_scan',
      stage: 'push',
      action: 'warned',
      message: 'config/test.env, line 4, looks like a private key.',
      items: ['config/test.env:4'],
    },
  ] as const;
  await each(findings, async (finding, at) => {
    const [made = ''] = await recordViolations(api.ctx, orgId, [{ repository, sessionId, finding }]);
    await shop.sql('update violations set created_at = $2 where id = $1', [made, ago(day * (5 - at) + 90)]);
    values['guardrails/violations/{id}'] ??= made;
  });
}

async function tell(shop: Shop): Promise<void> {
  const { api, orgId, ask, values } = shop;
  const hooks = [
    ['Chat room of the team', 'http://127.0.0.1:9/hooks/chat', ['session.status_changed', 'session.created']],
    ['Deployment dashboard', 'http://127.0.0.1:9/hooks/deployments', ['change_request.merged']],
  ] as const;
  await each(hooks, async ([name, url, events]) => {
    const { id } = await ask('POST', '/webhooks', { name, url, events: [...events], enabled: false });
    values['webhooks/{id}'] ??= String(id);
  });
  const id = values['webhooks/{id}'] ?? '';
  const states = ['delivered', 'delivered', 'failed', 'delivered', 'delivered'] as const;
  await api.ctx.db.transaction((trx) =>
    insertDeliveries(
      trx,
      states.map((state, at) => ({
        org_id: orgId,
        webhook_id: id,
        lane: `session:${at}`,
        event_seq: at + 1,
        type: state === 'failed' ? 'session.created' : 'session.status_changed',
        resource_type: 'session',
        resource_id: values['sessions/{id}'] ?? '',
        payload: '{}',
        state,
        created_at: ago(300 - at * 40),
        ended_at: ago(300 - at * 40 - 1),
      })),
    ),
  );
}
