import { finish, type ClaimedRun, type RunEnd } from '../../src/features/sessions/run/run-service.ts';
import { append } from '../../src/features/sessions/run/run-service.ts';
import { callOf, sayingOf } from '../../src/features/console/made-session-fixture.ts';
import { phaseNames, type Phase } from '../../src/features/sessions/schemas/session-schemas.ts';
import { openChangeRequest } from '../support/change-requests.ts';
import { start } from '../support/session-states.ts';
import type { Branch } from './code.ts';
import { reproduced, verified } from './evidence.ts';
import { work } from './session-work.ts';
import { ago, each, type Shop } from './world.ts';

const plan = `# Drop the legacy sign-in

1. Delete \`src/auth/legacy/\` and its routes
2. Redirect \`/login\` to the new page
3. Drop the column \`users.legacy_token\` with a migration
4. Remove the feature flag \`new-sign-in\`
5. Delete the tests of the old page
6. Note it in the changelog
`;

const question =
  'Invoices of 2025 have no currency. Should I take EUR for all of them, or the currency of the customer?';

type End = Omit<RunEnd, 'sandboxSeconds'>;
const done = (verification: RunEnd['verification']): End => ({
  status: 'completed',
  status_detail: 'finished',
  sandbox_state: 'none',
  verification,
});

interface Job {
  prompt: string;
  repo: string;
  by: string;
  tags?: string[];
  /** Minutes since it was started, and that it took. */
  begun: number;
  took: number;
  cost: number;
  end?: End;
  body?: object;
  /** The last thing that it did, and said. */
  doing?: string;
  says?: string;
}

const jobs: readonly Job[] = [
  {
    prompt: 'Translate the README into German',
    repo: 'acme/mobile-app',
    by: 'Radia',
    begun: 2_900,
    took: 6,
    cost: 0.11,
    end: done('no_check'),
  },
  {
    prompt: 'Upload fails for files above 2 GB',
    repo: 'acme/storefront',
    by: 'Barbara',
    tags: ['bug'],
    begun: 1_700,
    took: 9,
    cost: 0.62,
    end: done('not_reproduced'),
  },
  {
    prompt:
      'Speed up the nightly export of the customer data warehouse, which takes four hours since the move to the new cluster',
    repo: 'acme/customer-data-warehouse-transformations',
    by: 'Maximiliane',
    tags: ['performance', 'on-call'],
    begun: 1_480,
    took: 44,
    cost: 3.9,
    end: {
      status: 'failed',
      status_detail: 'verify_failed',
      sandbox_state: 'none',
      verification: 'failed',
      error: { code: 'verify_failed', message: 'The check still fails: npm test exited with 1.' },
    },
  },
  {
    prompt: 'Bump esbuild to 0.28',
    repo: 'acme/storefront',
    by: 'Grace',
    tags: ['dependencies'],
    begun: 640,
    took: 4,
    cost: 0.08,
    end: done('fixed'),
  },
  {
    prompt: 'Retry webhooks that answer 429',
    repo: 'acme/billing',
    by: 'Margaret',
    begun: 420,
    took: 12,
    cost: 0.41,
    end: done('fixed'),
  },
  {
    prompt: 'Migrate the ledger to decimal amounts',
    repo: 'acme/ledger',
    by: 'Margaret',
    begun: 95,
    took: 38,
    cost: 5,
    body: { budget: { max_cost_usd: 5 } },
    end: { status: 'suspended', status_detail: 'budget_reached', sandbox_state: 'none' },
  },
  {
    prompt: 'Give every invoice a currency',
    repo: 'acme/billing',
    by: 'Ada',
    begun: 22,
    took: 14,
    cost: 0.33,
    says: question,
    end: { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'paused' },
  },
  {
    prompt: 'Drop the legacy sign-in',
    repo: 'acme/storefront',
    by: 'Ada',
    tags: ['cleanup'],
    begun: 9,
    took: 5,
    cost: 0.21,
    body: { require_plan_approval: true },
    end: { status: 'waiting', status_detail: 'awaiting_approval', sandbox_state: 'paused', plan },
  },
  {
    prompt: 'Show the due date in the app',
    repo: 'acme/mobile-app',
    by: 'Radia',
    begun: 6,
    took: 6,
    cost: 0.19,
    doing: 'npm test -- invoice-card',
  },
  {
    prompt: 'Find out why the staging build is flaky',
    repo: 'acme/infrastructure',
    by: 'Grace',
    tags: ['on-call'],
    begun: 3,
    took: 3,
    cost: 0.07,
    doing: 'Read .github/workflows/build.yml',
  },
];

const queued = ['Add a health check to the worker', 'Remove unused translations'];

/** Sessions of every kind, of which one gives invoices a due date and proposes it as a change request. */
export async function run(shop: Shop, branches: { dueDate: Branch; greeting: Branch }): Promise<void> {
  await shop.sql(
    `insert into workers (id, host, slots, draining, seen_at) values ('worker-1', 'build-1', 4, false, now() + interval '1 day')`,
  );
  await each(jobs, (job) => perform(shop, job));
  await each(queued, (prompt) =>
    shop.ask('POST', '/sessions', { prompt, repositories: [{ repo: 'acme/storefront' }] }),
  );
  const { dueDate, greeting } = branches;
  const done1 = await propose(shop, greeting, {
    prompt: 'Fix greet()',
    repo: 'acme/storefront',
    by: 'Grace',
    begun: 60 * 26,
    took: 2,
    cost: 0.04,
    tags: ['bug'],
  });
  await shop.ask('POST', `/repositories/${greeting.repositoryId}/change-requests/${done1.number}/merge`);
  const job = {
    prompt: 'Invoices need a due date. It follows from the terms of the customer, 30 days otherwise.',
    repo: 'acme/billing',
    by: 'Ada',
    tags: ['invoices'],
    begun: 40,
    took: 3.7,
    cost: 0.14,
  };
  const { id, number } = await propose(shop, dueDate, job);
  await shop.ask('PATCH', `/sessions/${id}`, { title: 'Invoices get a due date' });
  const comments = `/repositories/${dueDate.repositoryId}/change-requests/${number}/comments`;
  await shop.ask('POST', comments, {
    body: 'Do the terms count weekends? Our contracts say *calendar days*, so this is right.',
    path: 'src/invoices.ts',
    line: 23,
  });
  await shop.ask('POST', comments, {
    body: 'Reads well. I would like to see the migration on a copy of production first.',
  });
  shop.values['sessions/{id}'] = id;
  shop.values['repositories/{id}/change-requests/{number}'] = String(number);
}

/** Returns the phases it came to, by how it ended. */
function phasesOf({ end, begun }: Job): Phase[] {
  const at = ago(begun);
  const statuses: Phase['status'][] =
    end?.verification === 'fixed'
      ? ['passed', 'passed', 'passed', 'passed']
      : end?.verification === 'failed'
        ? ['passed', 'passed', 'failed']
        : end?.verification === 'no_check'
          ? ['skipped', 'passed', 'skipped', 'passed']
          : end?.verification === 'not_reproduced'
            ? ['not_reproduced']
            : ['passed', 'running'];
  return phaseNames.slice(0, statuses.length).map((name, index) => ({
    name,
    status: statuses[index] ?? 'passed',
    started_at: at,
    ended_at: statuses[index] === 'running' ? null : at,
    summary: '',
    evidence: [],
  }));
}

async function perform(shop: Shop, job: Job): Promise<string> {
  const { id, run: begun } = await create(shop, job);
  const { doing, says } = job;
  const events = [
    ...(doing === undefined ? [] : callOf('x1', 'shell', doing)),
    ...(says === undefined ? [] : [sayingOf('m1', says)]),
  ];
  await append(shop.api.ctx, begun, events, { shown: { phases: phasesOf(job) } });
  if (job.end !== undefined) await finish(shop.api.ctx, begun, { ...job.end, sandboxSeconds: job.took * 60 });
  await antedate(shop, id, job);
  return id;
}

async function create(
  shop: Shop,
  { prompt, repo, tags = [], body = {} }: Job,
): Promise<{ id: string; run: ClaimedRun }> {
  const made = await shop.ask('POST', '/sessions', { prompt, tags, repositories: [{ repo }], ...body });
  const id = String(made['id']);
  return { id, run: await start(shop.api, id) };
}

/** Lets a session do the whole work and open a change request; returns its number. */
async function propose(shop: Shop, branch: Branch, job: Job): Promise<{ id: string; number: number }> {
  const { api, orgId } = shop;
  const { id, run: begun } = await create(shop, { ...job, body: { budget: { max_cost_usd: 5 } } });
  await work(shop, begun, job.repo, branch);
  await finish(api.ctx, begun, { ...done('fixed'), sandboxSeconds: 212 });
  const { number } = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: branch.repositoryId,
    headRef: job.repo === 'acme/billing' ? 'guildhall/due-date' : 'guildhall/greet',
    headSha: branch.headSha,
    baseRef: 'main',
    baseSha: branch.baseSha,
    title: job.prompt.split('.')[0] ?? '',
    body: 'Invoices get a due date. New ones follow the **terms of their customer**; those that exist are due 30 days after they were issued.',
    draft: false,
    evidence: [reproduced, verified],
    author: { type: 'session', id },
    sessionId: id,
  });
  const lines = (sign: string) => branch.patch.match(new RegExp(`^\\${sign}(?!\\${sign})`, 'gm'))?.length ?? 0;
  await shop.sql(
    'update change_requests set additions = $2, deletions = $3, changed_files = $4 where session_id = $1',
    [id, lines('+'), lines('-'), branch.patch.match(/^diff --git/gm)?.length ?? 0],
  );
  await antedate(shop, id, job);
  return { id, number };
}

/** Moves a session into the past, and gives it its cost and its person. */
async function antedate(shop: Shop, id: string, { begun, took, cost, by, end }: Job): Promise<void> {
  const from = ago(begun);
  const to = ago(begun - took);
  await shop.sql(
    `update sessions set created_at = $2, started_at = $2, updated_at = $3, activity_at = $3, cost_usd = $4::numeric,
       input_tokens = ($4::numeric * 340000)::int, output_tokens = ($4::numeric * 9800)::int,
       cached_input_tokens = ($4::numeric * 240000)::int, created_by_type = 'user', created_by_id = $5,
       sandbox_seconds = $6, ended_at = case when ended_at is null then null else $3::timestamptz end,
       working_since = case when working_since is null then null else $2::timestamptz end where id = $1`,
    [id, from, to, cost, shop.people[by] ?? '', end === undefined ? 0 : took * 60],
  );
  await shop.sql(
    `update session_events set created_at = $2::timestamptz + ($3::timestamptz - $2::timestamptz) * (seq::float8 /
       (select max(seq) from session_events where session_id = $1)) where session_id = $1`,
    [id, from, to],
  );
  await shop.sql('update session_approvals set requested_at = $2 where session_id = $1', [id, to]);
  await shop.sql(
    `insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at)
     select 'use_' || id, org_id, id, created_by_type, created_by_id, 'console', 'local:' || repo_names[1], 'anthropic',
       'anthropic/claude-sonnet-5', input_tokens, output_tokens, cached_input_tokens, 0, cost_usd, 'published', $2
     from sessions where id = $1`,
    [id, from],
  );
  await shop.sql('update change_requests set created_at = $2, updated_at = $2 where session_id = $1', [id, to]);
}
