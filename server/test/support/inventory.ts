import { createHash } from 'node:crypto';
import { issueSessionKey } from '../../src/features/sessions/run/session-key-service.ts';
import { recordArtifact } from '../../src/features/sessions/run/run-service.ts';
import { keepGenerated, recordProjections } from '../../src/features/memory/public.ts';
import { openChangeRequest } from './change-requests.ts';
import { addSuggestion } from '../../src/features/knowledge/public.ts';
import { secretsForSession } from '../../src/features/secrets/public.ts';
import { insertApproval } from '../../src/features/sessions/store/approval-store.ts';
import { newId } from '../../src/lib/ids.ts';
import type { TestApi } from './api.ts';
import { createGitUser, withKey } from './git.ts';
import { join } from './members.ts';
import { checkpoint, start } from './session-states.ts';

/** An organization that has one of everything; each field is the id of one. */
export interface Inventory {
  key: string;
  orgId: string;
  'service-users': string;
  entries: string;
  invites: string;
  'audit-logs': string;
  attachments: string;
  secrets: string;
  'mcp-servers': string;
  skills: string;
  groups: string;
  'git-connections': string;
  repositories: string;
  sessions: string;
  browserId: string;
  agents: string;
  app_id: string;
  key_id: string;
  userId: string;
  keyId: string;
  personalKeyId: string;
  messageId: string;
  approvalId: string;
  memoryId: string;
  artifactId: string;
  number: string;
  commentId: string;
  noteId: string;
  suggestions: string;
}

const manual = '---\nname: stock\ndescription: Counts what is there.\n---\nCount.\n';

/** Makes one of everything in an organization. */
export async function stock(api: TestApi, slug: string, key: string): Promise<Inventory> {
  const org = `/v3/organizations/${slug}`;
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await api.call('POST', path, { key, body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.json;
  };
  const orgId = String((await api.call('GET', org, { key })).json['id']);
  const user = await make(`${org}/service-users`, { name: 'x' });
  const userKey = await make(`${org}/service-users/${String(user['id'])}/keys`, { name: 'x', scopes: ['run'] });
  const personalKey = await make('/v3/self/keys', { name: 'x', scopes: ['run'] });
  const group = await make(`${org}/groups`, { name: 'x' });
  const userId = await join(api, orgId, 'member');
  await make(`${org}/groups/${String(group['id'])}/members`, { user_ids: [userId] });
  const invited = await api.call('POST', `${org}/members/invites`, { key, body: { emails: ['x@example.com'] } });
  const entry = await make(`${org}/ip-access-list/entries`, { cidr: '192.0.2.0/24' });
  const agent = await make('/agents', { name: 'x' });
  const app = await make('/apps', { name: 'x' });
  const appKey = await make(`/apps/${String(app['id'])}/keys`, { name: 'x', scopes: ['run'] });
  const attachment = await attach(api, org, key);
  const connections = await api.call('GET', `${org}/git-connections`, { key });
  const repository = await make(`${org}/repositories`, { provider: 'local', repo: 'acme/stock' });
  const secret = await make(`${org}/secrets`, { key: 'STOCK', value: 'x' });
  const server = await toolServer(api, org, key);
  const skill = await make(`${org}/skills`, { files: [{ path: 'SKILL.md', content: manual }] });
  const session = await make(`${org}/sessions`, { prompt: 'x', repositories: [{ repo: 'acme/stock' }] });
  const sessionId = String(session['id']);
  const place = { repo: 'acme/stock', provider: 'local' } as const;
  const note = await make(`${org}/memory/notes`, { ...place, content: 'x' });
  const memoryId = String(Object(note['item']).memory_id);
  const run = await start(api, sessionId);
  await secretsForSession(api.ctx, run);
  await checkpoint(api, run);
  const changed = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40), additions: 0, deletions: 0, files: [] };
  await api.ctx.blobs.put(`sessions/${run.id}/c1.diff`, Buffer.from(JSON.stringify(changed)));
  await api.ctx.blobs.put(`sessions/${run.id}/c1.patch`, Buffer.alloc(0));
  const file = { path: '~/note.md', sha256: '0'.repeat(64) };
  await recordProjections(api.ctx, run, [{ memory_id: memoryId, revision: 1, ...file }]);
  await keepGenerated(api.ctx, run, place, [{ agent: 'builtin', path: 'summary.md', content: () => 'x' }]);
  const { key: sessionKey } = await issueSessionKey(api.ctx, run);
  const born = await api.call('POST', `${org}/sessions`, { key: sessionKey, body: { prompt: 'x' } });
  if (born.status !== 201) throw new Error(`a child: ${born.text}`);
  const message = await make(`${org}/sessions/${sessionId}/messages`, { content: 'x', delivery: 'queue' });
  const knowledge = await make(`${org}/knowledge/notes`, { name: 'Stock', trigger: 'x', body: 'x' });
  const found = { sessionId, name: 'x', trigger: 'x', body: 'x', repo: 'acme/stock' };
  const suggestion = await addSuggestion(api.ctx, orgId, found);
  const number = await propose(api, orgId, repository, key, sessionId);
  const requests = `${org}/repositories/${String(repository['id'])}/change-requests`;
  const comment = await make(`${requests}/${number}/comments`, { body: 'x' });
  const browserId = await browse(api, orgId, userId);
  const content = Buffer.from('content');
  const blob = `artifacts/${orgId}/${sessionId}/log`;
  await api.ctx.blobs.put(blob, content);
  const artifactId = await recordArtifact(api.ctx, run, {
    name: 'log.txt',
    contentType: 'text/plain',
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    blob,
  });
  return {
    key,
    orgId,
    'service-users': String(user['id']),
    entries: String(entry['id']),
    invites: /inv_\w+/.exec(invited.text)?.[0] ?? '',
    'audit-logs': /aud_\w+/.exec((await api.call('GET', `${org}/audit-logs`, { key })).text)?.[0] ?? '',
    attachments: attachment,
    secrets: String(secret['id']),
    'mcp-servers': server,
    skills: String(skill['id']),
    groups: String(group['id']),
    'git-connections': /gc_\w+/.exec(connections.text)?.[0] ?? '',
    repositories: String(repository['id']),
    sessions: sessionId,
    browserId,
    agents: String(agent['id']),
    app_id: String(app['id']),
    key_id: String(appKey['id']),
    userId,
    keyId: String(userKey['id']),
    personalKeyId: String(personalKey['id']),
    messageId: String(message['id']),
    approvalId: await askFor(api, orgId, sessionId),
    memoryId,
    artifactId,
    noteId: String(knowledge['note_id']),
    suggestions: suggestion ?? '',
    number,
    commentId: String(comment['id']),
  };
}

/** A browser on record, in a worker that is there as long as the test is and that nobody hears of. */
async function browse(api: TestApi, orgId: string, userId: string): Promise<string> {
  const id = newId('brs');
  await api.ctx.db.pool.query(
    `insert into workers (id, host, slots, draining, seen_at) values ('elsewhere', '', 0, true, now() + interval '1 day')
     on conflict do nothing`,
  );
  await api.ctx.db.pool.query(
    `insert into browser_sessions (id, org_id, worker, created_by_type, created_by_id, created_at, expires_at, opened_at)
     values ($1, $2, 'elsewhere', 'user', $3, now(), now() + interval '1 day', now())`,
    [id, orgId, userId],
  );
  return id;
}

/** An approval that is pending. */
async function askFor(api: TestApi, orgId: string, sessionId: string): Promise<string> {
  const id = newId('apr');
  const now = new Date();
  const expires_at = new Date(now.getTime() + 86_400_000);
  await api.ctx.db.transaction((trx) =>
    insertApproval(trx, {
      id,
      org_id: orgId,
      session_id: sessionId,
      kind: 'plan',
      plan: 'x',
      requested_at: now,
      expires_at,
    }),
  );
  return id;
}

async function attach(api: TestApi, org: string, key: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob(['x']), 'x.txt');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${api.url}${org}/attachments`, { method: 'POST', headers, body: form });
  const answer: unknown = await response.json();
  return String(Object(answer).id);
}

/** With a value for the secret `STOCK`. */
async function toolServer(api: TestApi, org: string, key: string): Promise<string> {
  const body = { name: 'Stock', url: 'https://tools.example.com/mcp', headers: { authorization: 'Bearer ${STOCK}' } };
  const { json } = await api.call('POST', `${org}/mcp-servers`, { key, body });
  const id = String(json['id']);
  const answer = await api.call('PUT', `${org}/mcp-servers/${id}/secrets/STOCK`, { key, body: { value: 'x' } });
  if (answer.status !== 200) throw new Error(`a tool server: ${answer.text}`);
  return id;
}

async function propose(
  api: TestApi,
  orgId: string,
  repository: Record<string, unknown>,
  key: string,
  sessionId: string,
): Promise<string> {
  const ada = await createGitUser();
  const work = await ada.start({ 'a.txt': 'one\n' });
  const base = await ada.git(work, 'rev-parse', 'HEAD');
  const head = await ada.commit(work, { 'a.txt': 'two\n' });
  await ada.git(
    work,
    'push',
    '-q',
    withKey(String(repository['clone_url']), key),
    `${base}:refs/heads/main`,
    'HEAD:fix',
  );
  await ada.close();
  const row = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: String(repository['id']),
    headRef: 'fix',
    headSha: head,
    baseRef: 'main',
    baseSha: base,
    title: 'Fix',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'session', id: sessionId },
    sessionId,
  });
  return String(row.number);
}

/** The value of a path's parameter, by what stands before it: `{id}` below `/repositories` is a repository. */
export function parameterOf(path: string, name: string, inventory: Inventory): string {
  if (name === 'orgId') return inventory.orgId;
  if (name === 'agent_id') return inventory.agents;
  if (path.startsWith('/browser/')) return inventory.browserId;
  if (name === 'namespace') return 'run_tags';
  // Of a secret of a tool server.
  if (name === 'name') return 'STOCK';
  if (name === 'path') return 'SKILL.md';
  if (name === 'keyId') return path.startsWith('/v3/self') ? inventory.personalKeyId : inventory.keyId;
  if (name === 'app_id' || name === 'key_id') return inventory[name];
  if (name === 'memoryId') return inventory.memoryId;
  if (name === 'revision') return '1';
  if (name === 'noteId') return inventory.noteId;
  if (name === 'userId' || name === 'messageId' || name === 'approvalId' || name === 'artifactId')
    return inventory[name];
  if (name === 'number' || name === 'commentId') return inventory[name];
  const group = /\/([a-z-]+)\/\{id\}/.exec(path)?.[1];
  if (
    group === 'service-users' ||
    group === 'git-connections' ||
    group === 'audit-logs' ||
    group === 'repositories' ||
    group === 'secrets' ||
    group === 'mcp-servers' ||
    group === 'skills' ||
    group === 'sessions'
  )
    return inventory[group];
  if (group === 'entries') return inventory.entries;
  if (group === 'invites') return inventory.invites;
  // It is no id but a secret: whoever has it needs no other right.
  if (name === 'token') return 'none';
  // Of the installation, like the ways to sign in.
  if (name === 'provider') return 'none';
  if (group === 'suggestions') return inventory.suggestions;
  if (group === 'groups') return inventory.groups;
  if (group === 'blueprints') return inventory.agents.replace('agt_', 'bp_');
  if (group === 'attachments') return inventory.attachments;
  throw new Error(`The tests do not know what {${name}} of ${path} is: add it to the inventory.`);
}
