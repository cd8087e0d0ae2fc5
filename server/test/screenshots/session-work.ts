import { createHash } from 'node:crypto';
import { callOf, commandOf, sayingOf } from '../../src/features/console/made-session-fixture.ts';
import {
  append,
  noteModel,
  noteRepositories,
  recordArtifact,
  type ClaimedRun,
} from '../../src/features/sessions/run/run-service.ts';
import type { NewEvent } from '../../src/features/sessions/schemas/event-schemas.ts';
import { insertContext } from '../../src/features/sessions/store/context-store.ts';
import { checkpoint } from '../support/session-states.ts';
import { secretsForSession } from '../../src/features/secrets/public.ts';
import type { Branch } from './code.ts';
import { failing, passing, reproduced, verified } from './evidence.ts';
import { ago, type Shop } from './world.ts';

const phase = (
  name: 'reproduce' | 'implement' | 'verify' | 'deliver',
  status: 'running' | 'passed',
  evidence: object[] = [],
) => ({
  kind: 'phase' as const,
  data: {
    name,
    status,
    summary: '',
    evidence: evidence.length === 0 ? [] : [name === 'reproduce' ? reproduced : verified],
  },
});

const model = 'anthropic/claude-sonnet-5';

const used = (input: number, output: number, cost: number): NewEvent => ({
  kind: 'usage',
  data: {
    model,
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: Math.round(input * 0.7),
    cost_usd: cost,
  },
});

const planOf = (done: number): NewEvent => ({
  kind: 'plan',
  data: {
    entries: [
      'Add the column with a migration',
      'Compute the due date from the terms',
      'Test it with terms of 14 days',
    ].map((content, at) => ({ content, status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending' })),
  },
});

const changed = (path: string, change: 'added' | 'modified', additions: number, deletions: number): NewEvent => ({
  kind: 'file_change',
  data: { path, change, additions, deletions, call_id: '' },
});

/** Everything that happens in a session from its start to its verified end. */
function turn(): NewEvent[] {
  return [
    phase('reproduce', 'running'),
    ...commandOf('r0', 'npm test -- invoices', failing, 1),
    phase('reproduce', 'passed', [reproduced]),
    phase('implement', 'running'),
    planOf(0),
    {
      kind: 'thought',
      data: {
        message_id: 't1',
        role: 'agent',
        delta: 'Terms belong to the customer; 30 days hold otherwise.',
        done: true,
      },
    },
    ...callOf('c1', 'read', 'src/invoices.ts'),
    ...callOf('c2', 'read', 'src/types.ts'),
    ...callOf('c3', 'search', 'terms'),
    used(14_200, 420, 0.041),
    sayingOf(
      'm1',
      'Customers have `terms` already, so the due date follows from them. I will **add the column first**, then compute it.',
    ),
    ...callOf('c4', 'write', 'db/migrations/0042-due.sql'),
    changed('db/migrations/0042-due.sql', 'added', 3, 0),
    planOf(1),
    ...callOf('c5', 'edit', 'src/invoices.ts'),
    changed('src/invoices.ts', 'modified', 4, 0),
    used(16_900, 610, 0.052),
    ...callOf('c6', 'shell', 'npm test -- invoices', true, commandOf('k1', 'npm test -- invoices', failing, 1, 'c6')),
    sayingOf(
      'm2',
      'The test still lacks the new customer. I will add terms to it:\n\n```ts\nconst { due } = toInvoice({ customer: { ...customer, terms: 14 }, lines }, today);\n```',
    ),
    planOf(2),
    ...callOf('c7', 'edit', 'src/invoices.test.ts'),
    changed('src/invoices.test.ts', 'modified', 5, 0),
    ...callOf('c8', 'shell', 'npm test', true, commandOf('k2', 'npm test', passing, 0, 'c8')),
    used(18_400, 350, 0.047),
    planOf(3),
    sayingOf(
      'm3',
      'Invoices now have a due date:\n\n- the migration fills it for those that exist, 30 days after they were issued\n- new ones follow the terms of their customer\n- a test covers terms of 14 days',
    ),
    phase('implement', 'passed'),
    phase('verify', 'running'),
    ...commandOf('v1', 'npm test -- invoices', passing, 0),
    phase('verify', 'passed', [verified]),
    phase('deliver', 'running'),
    { kind: 'warning', data: { code: 'tests_changed', message: 'The change alters 1 test: src/invoices.test.ts' } },
    phase('deliver', 'passed'),
  ];
}

/** Lets a claimed session do the whole work on a branch; `repo` is its repository. */
export async function work(shop: Shop, run: ClaimedRun, repo: string, branch: Branch): Promise<void> {
  const { ctx } = shop.api;
  const stage = (
    name: 'reproduce' | 'implement' | 'verify' | 'deliver',
    from: number,
    to: number,
    evidence: (typeof verified)[],
  ) => ({
    name,
    status: 'passed' as const,
    started_at: ago(from),
    ended_at: ago(to),
    summary: '',
    evidence,
  });
  await noteModel(ctx, run, model);
  await noteRepositories(ctx, run, [
    {
      provider: 'local',
      repo,
      base_ref: 'main',
      base_commit: branch.baseSha,
      branch: 'guildhall/due-date',
      repository_id: branch.repositoryId,
    },
  ]);
  await insertContext(ctx.db, run.id, run.fence, givenOf(shop));
  await secretsForSession(ctx, run);
  const phases = [
    stage('reproduce', 39.8, 39.7, [reproduced]),
    stage('implement', 39.7, 36.5, []),
    stage('verify', 36.5, 36.4, [verified]),
    stage('deliver', 36.4, 36.3, []),
  ];
  await append(ctx, run, turn(), { shown: { phases } });
  await checkpoint(shop.api, run, repo);
  const files = branch.patch
    .split(/^(?=diff --git )/m)
    .filter((one) => one !== '')
    .map((patch) => ({
      path: /^diff --git a\/(\S+)/.exec(patch)?.[1] ?? '',
      old_path: '',
      status: patch.includes('\nnew file') ? 'added' : 'modified',
      binary: false,
      additions: patch.match(/^\+(?!\+\+)/gm)?.length ?? 0,
      deletions: patch.match(/^-(?!--)/gm)?.length ?? 0,
      patch,
    }));
  const sum = (of: (file: (typeof files)[number]) => number) => files.reduce((all, file) => all + of(file), 0);
  const diff = {
    base_commit: branch.baseSha,
    head_commit: branch.headSha,
    additions: sum(({ additions }) => additions),
    deletions: sum(({ deletions }) => deletions),
    files,
  };
  await ctx.blobs.put(`sessions/${run.id}/c1.diff`, Buffer.from(JSON.stringify(diff)));
  await ctx.blobs.put(`sessions/${run.id}/c1.patch`, Buffer.from(branch.patch));
  await keep(shop, run, 'invoice-preview.svg', 'image/svg+xml', preview);
  await keep(shop, run, 'npm-test.log', 'text/plain', `${failing}\n\n${passing}\n`);
}

/** Returns what the session was given. */
function givenOf({ values }: Shop): object {
  const note = (at: number, name: string, score: number, reason: string) => ({
    note_id: values[`note ${at}`] ?? '',
    name,
    revision: 1,
    scope: at === 0 ? 'repository' : 'organization',
    score,
    reason,
  });
  const skillId = values['skills/{id}'] ?? '';
  return {
    knowledge: [
      note(0, 'Database migrations', 0.82, 'Its trigger fits the prompt: a change of a table, a column or an index'),
      note(2, 'Amounts of money', 0.61, 'Its trigger fits the prompt: prices, totals, invoices, currencies'),
    ],
    skills: [
      {
        id: skillId,
        name: 'database-change',
        description: 'Plans and writes a migration with its rollback plan.',
        source: 'managed',
        revision: 1,
        digest: '0'.repeat(64),
        path: '~/skills/database-change',
        reason: 'It is assigned to acme/billing.',
      },
    ],
    mcp_servers: [
      {
        id: values['mcp-servers/{id}'] ?? '',
        slug: 'issues',
        name: 'Issues',
        transport: 'http',
        tools: [
          { name: 'get_issue', description: 'Reads an issue' },
          { name: 'comment', description: 'Comments an issue' },
        ],
        problem: '',
        reason: 'It is for the whole organization.',
      },
    ],
    browser: [{ available: true, problem: '' }],
    settings: [],
  };
}

async function keep(shop: Shop, run: ClaimedRun, name: string, contentType: string, text: string): Promise<void> {
  const content = Buffer.from(text);
  const blob = `artifacts/${run.orgId}/${run.id}/${name}`;
  await shop.api.ctx.blobs.put(blob, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await recordArtifact(shop.api.ctx, run, { name, contentType, sizeBytes: content.length, sha256, blob });
}

/** A picture that the agent took of its work. */
const preview = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400" font-family="sans-serif">
<rect width="640" height="400" fill="#fbfbf9"/><rect x="40" y="40" width="560" height="320" fill="#fff" stroke="#d9d9d4"/>
<text x="70" y="90" font-size="24" font-weight="bold" fill="#222">Invoice 2026-0117</text>
<text x="70" y="125" font-size="15" fill="#666">Analytical Engines · issued 17 Nov 2026</text>
<rect x="70" y="150" width="180" height="30" rx="4" fill="#e3f1e8"/><text x="82" y="170" font-size="15" fill="#1d6b43">Due 1 Dec 2026</text>
<line x1="70" y1="215" x2="570" y2="215" stroke="#d9d9d4"/><text x="70" y="250" font-size="15" fill="#222">2 × Punched cards</text>
<text x="520" y="250" font-size="15" fill="#222">€ 900</text></svg>`;
