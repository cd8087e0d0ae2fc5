import { createHash } from 'node:crypto';
import type { TestApi } from '../../../test/support/api.ts';
import { checkpoint, sessionIn } from '../../../test/support/session-states.ts';
import { newId } from '../../lib/ids.ts';
import { append, recordArtifact, type ClaimedRun } from '../sessions/run/run-service.ts';
import type { NewEvent } from '../sessions/schemas/event-schemas.ts';
import { insertApproval } from '../sessions/store/approval-store.ts';

/** A picture of 60 × 40 pixels that a browser draws. */
export const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="teal"/></svg>`;

/** A command with output and exit code. */
export function commandOf(id: string, command: string, output: string, exit: number, callId = ''): NewEvent[] {
  const data = { command_id: id, call_id: callId, command, phase: '' as const, artifact_id: null };
  return [
    { kind: 'command', data: { ...data, exit_code: null, duration_ms: null } },
    { kind: 'output', data: { command_id: id, call_id: callId, stream: 'stdout', text: output } },
    { kind: 'command', data: { ...data, exit_code: exit, duration_ms: 4_100 } },
  ];
}

/** A tool call with its result; `between` are the events in between. */
export function callOf(id: string, name: string, title: string, ok = true, between: NewEvent[] = []): NewEvent[] {
  return [
    { kind: 'tool_call', data: { call_id: id, name, title, input: { path: title } } },
    ...between,
    { kind: 'tool_result', data: { call_id: id, ok, output: ok ? 'done' : 'It is not there.', artifact_id: null } },
  ];
}

export function sayingOf(id: string, delta: string, done = true): NewEvent {
  return { kind: 'message', data: { message_id: id, role: 'agent', delta, done, state: 'delivered' } };
}

const evidenceOf = (exit: number, output: string) => ({
  kind: 'command' as const,
  command: 'npm test -- invoices',
  exit_code: exit,
  duration_ms: 5_900,
  output_tail: output,
  artifact_id: null,
});

const before = '\u001b[31m✕\u001b[0m due date is required\n  expected 2026-12-01\n3 tests, 1 failed';
const after = '\u001b[32m✓\u001b[0m due date is required\n3 tests, all passed';

/** The events of a turn that reproduces, implements and verifies. */
function turn(): NewEvent[] {
  const reproduced = [evidenceOf(1, before)];
  const verified = [evidenceOf(0, after)];
  return [
    { kind: 'phase', data: { name: 'reproduce', status: 'running', summary: '', evidence: [] } },
    { kind: 'phase', data: { name: 'reproduce', status: 'passed', summary: 'Fails.', evidence: reproduced } },
    { kind: 'phase', data: { name: 'implement', status: 'running', summary: '', evidence: [] } },
    {
      kind: 'plan',
      data: {
        entries: [
          { content: 'Add the column', status: 'completed' },
          { content: 'Show it', status: 'in_progress' },
        ],
      },
    },
    { kind: 'thought', data: { message_id: 't1', role: 'agent', delta: 'The date belongs to it.', done: true } },
    sayingOf('first', 'I will add the **column** first.\n\n```ts\nconst due = addDays(today, terms);\n```'),
    ...callOf('r1', 'read', 'src/invoices.ts'),
    ...callOf('r2', 'read', 'src/due.ts'),
    ...callOf('s1', 'search', 'due date'),
    ...callOf('c1', 'shell', 'npm test', false, commandOf('k1', 'npm test', manyLines(214), 1, 'c1')),
    {
      kind: 'usage',
      data: {
        model: 'scripted/one',
        input_tokens: 12_400,
        output_tokens: 310,
        cached_input_tokens: 9_000,
        cost_usd: 0.04,
      },
    },
    {
      kind: 'file_change',
      data: { path: 'src/invoices.ts', change: 'modified', additions: 14, deletions: 2, call_id: '' },
    },
    sayingOf('second', 'Now the tests pass.'),
    { kind: 'phase', data: { name: 'implement', status: 'passed', summary: 'Done.', evidence: [] } },
    { kind: 'phase', data: { name: 'verify', status: 'running', summary: '', evidence: [] } },
    ...commandOf('v1', 'npm test -- invoices', after, 0),
    { kind: 'phase', data: { name: 'verify', status: 'passed', summary: 'Passes.', evidence: verified } },
    { kind: 'warning', data: { code: 'slow', message: 'The tests took long.' } },
  ];
}

export function manyLines(count: number): string {
  return Array.from({ length: count }, (_, at) => `line ${at + 1} \u001b[33mof output\u001b[0m\n`).join('');
}

const patch = [
  'diff --git a/src/invoices.ts b/src/invoices.ts',
  'index 1111111..2222222 100644',
  '--- a/src/invoices.ts',
  '+++ b/src/invoices.ts',
  '@@ -40,3 +40,4 @@ export function invoice() {',
  '   const invoice = {',
  '+    due: addDays(today, terms),',
  '     total,',
  '   };',
  '',
].join('\n');

/** A patch whose text would be markup, an address and a control sequence, if anything took it for one. */
const hostilePatch = [
  'diff --git a/evil.html b/evil.html',
  'new file mode 100644',
  'index 0000000..2222222',
  '--- /dev/null',
  '+++ b/evil.html',
  '@@ -0,0 +1,3 @@',
  '+<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  '+</style></template><style>*{display:none}</style>',
  `+${'<b>'.repeat(3_000)}\u001b[2J`,
  '',
].join('\n');

const fileOf = (path: string, additions: number, text: string, status = 'modified') => ({
  path,
  old_path: '',
  status,
  binary: false,
  additions,
  deletions: 0,
  patch: text,
});

export interface MadeSession {
  id: string;
  run: ClaimedRun;
}

/** Makes a running session that has something of everything: a turn with its phases, changes, and files. `more` is of the request. */
export async function makeSession(api: TestApi, prompt: string, more: object = {}): Promise<MadeSession> {
  await api.call('POST', '/v3/organizations/default/repositories', {
    body: { provider: 'local', repo: 'acme/billing' },
  });
  const { id, run } = await sessionIn(api, 'running', {
    prompt,
    repositories: [{ repo: 'acme/billing' }],
    budget: { max_cost_usd: 5, max_turns: 10 },
    ...more,
  });
  if (run === undefined) throw new Error('nothing runs');
  const phases = [
    phaseOf('reproduce', [evidenceOf(1, before)]),
    phaseOf('implement', []),
    phaseOf('verify', [evidenceOf(0, after)]),
  ];
  await append(api.ctx, run, turn(), { shown: { phases } });
  await checkpoint(api, run, 'acme/billing');
  const files = [
    fileOf('src/invoices.ts', 1, patch),
    fileOf('src/deep/in/a/folder/with-a-name-of-forty-characters-or-so.ts', 1, patch.replaceAll('invoices', 'x')),
    fileOf('evil.html', 3, hostilePatch, 'added'),
  ];
  const changed = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40), additions: 5, deletions: 0, files };
  await api.ctx.blobs.put(`sessions/${id}/c1.diff`, Buffer.from(JSON.stringify(changed)));
  await api.ctx.blobs.put(`sessions/${id}/c1.patch`, Buffer.from(patch));
  await keepFile(api, run, 'shot.svg', 'image/svg+xml', picture);
  await keepFile(api, run, 'full.log', 'text/plain', manyLines(5_000));
  return { id, run };
}

function phaseOf(name: 'reproduce' | 'implement' | 'verify', evidence: ReturnType<typeof evidenceOf>[]) {
  const at = new Date();
  return { name, status: 'passed' as const, started_at: at, ended_at: at, summary: '', evidence };
}

/** Stores a file as an agent does. */
export async function keepFile(api: TestApi, run: ClaimedRun, name: string, contentType: string, text: string) {
  const content = Buffer.from(text);
  const blob = `artifacts/${run.orgId}/${run.id}/${name}`;
  await api.ctx.blobs.put(blob, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return recordArtifact(api.ctx, run, { name, contentType, sizeBytes: content.length, sha256, blob });
}

/** Asks for the approval of a plan. */
export function askForPlan(api: TestApi, run: ClaimedRun, plan: string): Promise<string> {
  return ask(api, run, { kind: 'plan', plan }, plan);
}

/** Asks for the approval of a call. */
export function askForCall(api: TestApi, run: ClaimedRun, tool: string, input: object): Promise<string> {
  return ask(api, run, { kind: 'tool', tool, input: JSON.stringify(input) }, tool);
}

type Asked = { kind: 'plan'; plan: string } | { kind: 'tool'; tool: string; input: string };

async function ask(api: TestApi, run: ClaimedRun, asked: Asked, summary: string): Promise<string> {
  const id = newId('apr');
  const now = new Date();
  const expires_at = new Date(now.getTime() + 3_600_000);
  const row = { ...asked, id, org_id: run.orgId, session_id: run.id, requested_at: now, expires_at };
  await api.ctx.db.transaction((trx) => insertApproval(trx, row));
  await append(api.ctx, run, [
    { kind: 'approval', data: { approval_id: id, kind: asked.kind, state: 'pending', summary } },
  ]);
  return id;
}

/** Appends messages, each followed by a step of two calls; every third is long. */
export async function talk(api: TestApi, made: MadeSession, from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, at) => {
    const n = from + at;
    const words = 'Some words of it. '.repeat(n % 3 === 0 ? 30 : 1);
    return [
      sayingOf(`m${n}`, `Message ${n}. ${words}`),
      ...callOf(`a${n}`, 'read', 'x.ts'),
      ...callOf(`b${n}`, 'search', 'y'),
    ];
  });
  for (let at = 0; at < events.length; at += 200) await append(api.ctx, made.run, events.slice(at, at + 200).flat());
}
