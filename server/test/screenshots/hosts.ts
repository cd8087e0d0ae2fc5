import { insertFinding } from '../../src/features/reviews/finding-store.ts';
import { insertFollow } from '../../src/features/follow/store.ts';
import { newMemory, type Memory } from '../../src/features/follow/decide/types.ts';
import { startIndexing } from '../../src/features/repositories/code-index/jobs.ts';
import { startWikis } from '../../src/features/wikis/jobs.ts';
import { newId } from '../../src/lib/ids.ts';
import { ago, each, type Shop } from './world.ts';

const connections = [
  {
    provider: 'pagure',
    kind: 'token',
    host: 'src.acme.example',
    name: 'Packages',
    account: 'guildhall',
    state: 'error',
  },
  { provider: 'gitlab', kind: 'token', host: 'gitlab.acme.example', name: 'Data platform', account: 'group_17_bot' },
  { provider: 'github', kind: 'token', host: 'github.com', name: 'Open source', account: 'ada', state: 'revoked' },
  {
    provider: 'github',
    kind: 'app',
    host: 'github.acme-engineering-and-research.example',
    name: 'Engineering and research, all repositories',
    account: 'guildhall-of-acme[bot]',
    state: 'degraded',
    missing: ['checks: write', 'actions: write'],
  },
] as const;

const problems: Readonly<Record<string, string>> = {
  error: 'src.acme.example did not answer within 20 s. Try again later.',
  revoked: 'github.com rejected the credential of the git connection. Give the connection a new one.',
  degraded:
    'The credential lacks the permissions checks: write, actions: write. Grant them at the host, then verify the connection.',
};

/** Git connections in each state, an App, reviews with findings, a change request that needs a person, an index and a wiki. */
export async function host(shop: Shop): Promise<void> {
  await connect(shop);
  await review(shop);
  await follow(shop);
  await read(shop);
}

async function connect(shop: Shop): Promise<void> {
  const app = newId('ga');
  const url = 'https://github.acme-engineering-and-research.example';
  await shop.sql(
    `insert into git_apps (id, org_id, provider, url, app_id, slug, name, html_url, sealed_private_key, sealed_webhook_secret, created_at)
     values ($1, $2, 'github', $3, '4711', 'guildhall-of-acme', 'Guildhall of Acme', $4, '', '', $5)`,
    [app, shop.orgId, url, `${url}/github-apps/guildhall-of-acme`, ago(60 * 24 * 12)],
  );
  await each(connections, async (one, at) => {
    const { provider, kind, host: name, account } = one;
    const state = 'state' in one ? one.state : 'connected';
    const id = newId('gc');
    await shop.sql(
      `insert into git_connections (id, org_id, provider, kind, host, url, name, account, state, problem, missing_permissions, git_app_id,
         last_verified_at, last_delivery_at, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $13, $13)`,
      [
        id,
        shop.orgId,
        provider,
        kind,
        name,
        `https://${name}`,
        one.name,
        account,
        state,
        problems[state] ?? '',
        'missing' in one ? one.missing : [],
        kind === 'app' ? app : '',
        ago(60 * (4 - at) * 9),
        state === 'connected' || state === 'degraded' ? ago(12) : null,
      ],
    );
    shop.values['git-connections/{id}'] = id;
  });
}

interface ChangeRequestRow {
  id: string;
  repository_id: string;
  number: number;
  base_sha: string;
  head_sha: string;
  session_id: string;
}

async function requests(shop: Shop): Promise<ChangeRequestRow[]> {
  const { rows } = await shop.api.ctx.db.pool.query<ChangeRequestRow>(
    'select id, repository_id, number, base_sha, head_sha, session_id from change_requests where org_id = $1 order by created_at',
    [shop.orgId],
  );
  return rows;
}

const findings = [
  {
    severity: 'high',
    confidence: 1,
    category: 'correctness',
    title: 'An invoice of the last day of a month is due a month late',
    body: '`addDays` moves over the end of the month twice when the terms are 30 days and the month has 31.',
    suggestion: '    due: addDays(startOfDay(today), customer.terms ?? defaultTerms),',
    file: 'src/invoices.ts',
    line: 24,
    evidence: '$ node due-date.js 2026-10-31\n2026-12-30\nexit code 1 on the head, 0 on the base',
    command: 'node due-date.js 2026-10-31',
    reproduced: true,
  },
  {
    severity: 'medium',
    confidence: 0.86,
    category: 'migration',
    title: 'The migration rewrites the whole table in one statement',
    body: 'With 40 million invoices it holds its lock for minutes. Update in batches, then set the constraint.',
    suggestion: '',
    file: 'db/migrations/0042-due.sql',
    line: 2,
    evidence: '',
    command: '',
    reproduced: false,
  },
  {
    severity: 'pre_existing',
    confidence: 0.9,
    category: 'types',
    title: 'The number of the next invoice is not reserved',
    body: 'Two invoices that are made at once get the same number. The change did not bring this.',
    suggestion: '',
    file: 'src/invoices.ts',
    line: 20,
    evidence: '',
    command: '',
    reproduced: false,
  },
] as const;

/** Findings of the past, with what became of them. */
const outcomes = `
  insert into review_findings (id, org_id, repository_id, change_request_id, number, first_review_id, review_id, severity, confidence,
    category, title, body, suggestion, file, side, in_diff, evidence, fingerprint, anchor, status, posting, created_at, updated_at)
  select id, $1, $2, $3, $4, $5, $5, (array['high', 'medium', 'medium', 'low'])[1 + n % 4], 1,
    (array['correctness', 'correctness', 'style'])[1 + n % 3], 'A finding', '', '', 'src/greet.ts', 'new', true, '', 'past ' || n, '',
    (array['resolved', 'resolved', 'resolved', 'dismissed', 'open'])[1 + n % 5], 'posted', $6, $6
  from unnest($7::text[]) with ordinality as made (id, n)`;

async function review(shop: Shop): Promise<void> {
  const [merged, open] = await requests(shop);
  if (merged === undefined || open === undefined) throw new Error('There are fewer change requests than expected.');
  const earlier = { ...open, head_sha: open.base_sha };
  const before = await insertReview(shop, merged, {
    ago: 1_500,
    verdict: 'comment',
    summary: 'It corrects the name of the variable.',
  });
  const then = ago(1_490);
  const ids = Array.from({ length: 9 }, () => newId('fnd', then.getTime()));
  await shop.sql(outcomes, [shop.orgId, merged.repository_id, merged.id, merged.number, before, then, ids]);
  await insertReview(shop, { ...merged, head_sha: merged.base_sha }, { ago: 1_520, status: 'canceled' });
  await insertReview(shop, earlier, {
    ago: 39,
    status: 'failed',
    problem: 'The session of the reviewer ended without findings: its budget was reached.',
  });
  const summary =
    'Invoices get a due date from the terms of the customer. The computation is right except at the end of a month; the migration should be done in batches.';
  const id = await insertReview(shop, open, { ago: 30, verdict: 'request_changes', summary });
  await each(findings, (finding, at) =>
    shop.api.ctx.db.transaction((trx) =>
      insertFinding(trx, {
        ...finding,
        id: newId('fnd'),
        org_id: shop.orgId,
        repository_id: open.repository_id,
        change_request_id: open.id,
        number: open.number,
        first_review_id: id,
        review_id: id,
        side: 'new',
        in_diff: true,
        fingerprint: `picture ${at}`,
        anchor: '',
        posting: 'posted',
        created_at: ago(28),
        updated_at: ago(28),
      }),
    ),
  );
  shop.values['reviews/{id}'] = id;
}

interface Said {
  ago: number;
  status?: string;
  verdict?: string;
  summary?: string;
  problem?: string;
}

async function insertReview(shop: Shop, change: ChangeRequestRow, said: Said): Promise<string> {
  const { status = 'completed', verdict = '', summary = '', problem = '' } = said;
  // The list is in the order of ids.
  const id = newId('rev', ago(said.ago).getTime());
  await shop.sql(
    `insert into reviews (id, org_id, repository_id, change_request_id, number, base_sha, head_sha, status, verdict, summary, problem,
       trigger, created_by_type, created_by_id, created_at, updated_at, completed_at, posting)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'user', $13, $14, $15, $15, $16)`,
    [
      id,
      shop.orgId,
      change.repository_id,
      change.id,
      change.number,
      change.base_sha,
      change.head_sha,
      status,
      verdict,
      summary,
      problem,
      status === 'canceled' ? 'request' : 'policy',
      shop.people['Ada'] ?? '',
      ago(said.ago),
      ago(said.ago - 3),
      status === 'completed' ? 'posted' : '',
    ],
  );
  return id;
}

/** The open change request came to the end of its rounds; the other one was followed until it merged. */
async function follow(shop: Shop): Promise<void> {
  const [merged, open] = await requests(shop);
  if (merged === undefined || open === undefined) throw new Error('There are fewer change requests than expected.');
  await insert(shop, merged, { since: ago(1_560), rounds: 1, fixed: 1, ciRounds: 1, pushes: 1, mended: [340_000] });
  const counted = { rounds: 4, fixed: 2, ciRounds: 3, reviewRounds: 1, pushes: 4, reruns: 1 };
  await insert(shop, open, { since: ago(60 * 7), ...counted, mended: [610_000], neededPerson: true });
  await shop.sql(`update follows set state = 'ended', reason = 'It was merged.' where change_request_id = $1`, [
    merged.id,
  ]);
  await shop.sql(
    `update follows set state = 'needs_person', reason = 'The check integration / invoices fails as before, after a fix.', head_sha = $2,
       checks_state = 'failure', failing = '{integration / invoices}', review_state = 'changes_requested' where change_request_id = $1`,
    [open.id, open.head_sha],
  );
}

async function insert(
  shop: Shop,
  change: ChangeRequestRow,
  { since, ...counted }: Partial<Omit<Memory, 'since'>> & { since: Date },
): Promise<void> {
  await shop.api.ctx.db.transaction((trx) =>
    insertFollow(trx, {
      change_request_id: change.id,
      org_id: shop.orgId,
      repository_id: change.repository_id,
      number: change.number,
      session_id: change.session_id,
      memory: { ...newMemory(since.getTime()), ...counted },
      now: since,
    }),
  );
}

/** Builds the index and the wiki of a repository, as the platform does. */
async function read(shop: Shop): Promise<void> {
  const { api, ask, values } = shop;
  const repository = `/repositories/${values['repositories/{id}'] ?? ''}`;
  startIndexing(api.ctx);
  startWikis(api.ctx);
  await ask('POST', `${repository}/wiki/regenerate`, {});
  for (let waits = 0; waits < 600; waits += 1) {
    const { index, wiki } = await ask('GET', repository);
    if (Object(index).state === 'ready' && Object(wiki).state === 'ready') return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('The index and the wiki were not ready within a minute.');
}
