import { finish, type ClaimedRun, type RunEnd } from '../../src/features/sessions/run/run-service.ts';
import { append } from '../../src/features/sessions/run/run-service.ts';
import { callOf, sayingOf } from '../../src/features/console/made-session-fixture.ts';
import type { NewEvent } from '../../src/features/sessions/schemas/event-schemas.ts';
import { phaseNames, type Phase } from '../../src/features/sessions/schemas/session-schemas.ts';
import { openChangeRequest } from '../support/change-requests.ts';
import { start } from '../support/session-states.ts';
import type { Branch } from './code.ts';
import { reproduced, verified } from './evidence.ts';
import { work } from './session-work.ts';
import { antedate, type Past } from './past.ts';
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

interface Job extends Past {
  prompt: string;
  repo: string;
  tags?: string[];
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
    ...phasesOf(job).map(({ name, status }): NewEvent => ({
      kind: 'phase',
      data: { name, status, summary: '', evidence: [] },
    })),
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
