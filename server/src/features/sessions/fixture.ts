import { createHash } from 'node:crypto';
import { defineFixture, madeIn, type World } from '../../../test/support/fixture.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';
import { checkpoint, start } from '../../../test/support/session-states.ts';
import { newId } from '../../lib/ids.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { secretsForSession } from '../secrets/public.ts';
import { recordArtifact, type Run } from './run/run-service.ts';
import { issueSessionKey } from './run/session-key-service.ts';
import { insertApproval } from './store/approval-store.ts';

export const fixture = defineFixture({
  after: ['repositories', 'secrets'],
  async make(world) {
    const { api, org, post } = world;
    const session = await post(`${org}/sessions`, { prompt: 'x', repositories: [{ repo: 'acme/stock' }] });
    const id = String(session['id']);
    const run = await start(api, id);
    await secretsForSession(api.ctx, run);
    await checkpoint(api, run);
    const changed = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40), additions: 0, deletions: 0, files: [] };
    await api.ctx.blobs.put(`sessions/${id}/c1.diff`, Buffer.from(JSON.stringify(changed)));
    await api.ctx.blobs.put(`sessions/${id}/c1.patch`, Buffer.alloc(0));
    const { key } = await issueSessionKey(api.ctx, run);
    const child = await api.call('POST', `${org}/sessions`, { key, body: { prompt: 'x' } });
    if (child.status !== 201) throw new Error(`a child: ${child.text}`);
    const message = await post(`${org}/sessions/${id}/messages`, { content: 'x', delivery: 'queue' });
    const number = await propose(world, id);
    const requests = `${org}/repositories/${madeIn(world, 'repositories/{id}')}/change-requests`;
    const comment = await post(`${requests}/${number}/comments`, { body: 'x' });
    return {
      'sessions/{id}': id,
      'sessions/{id}/messages/{messageId}': String(message['id']),
      'sessions/{id}/approvals/{approvalId}': await askFor(world, id),
      'sessions/{id}/preview/{port}': '3000',
      'sessions/{id}/artifacts/{artifactId}': await keep(world, run),
      'repositories/{id}/change-requests/{number}': number,
      'repositories/{id}/change-requests/{number}/comments/{commentId}': String(comment['id']),
    };
  },
  bodies: {
    createSession: { prompt: 'x' },
    sendSessionMessage: { content: 'x' },
    decideSessionApproval: { decision: 'deny' },
    markSessionRead: { seq: 1 },
    forkSession: {},
    changeSessions: { ids: ['ses_none'], action: 'archive' },
  },
  changes: { createSession: { prompt: 'x', repositories: [] }, updateSession: { title: 'Other' } },
  // It continues anyway; what a user has read is their own; and none of several sessions exists.
  reads: ['resumeSession', 'markSessionRead', 'changeSessions'],
});

/** Creates a pending approval. */
async function askFor({ api, orgId }: World, sessionId: string): Promise<string> {
  const id = newId('apr');
  const now = new Date();
  const expires_at = new Date(now.getTime() + 86_400_000);
  const row = {
    id,
    org_id: orgId,
    session_id: sessionId,
    kind: 'plan',
    plan: 'x',
    requested_at: now,
    expires_at,
  } as const;
  await api.ctx.db.transaction((trx) => insertApproval(trx, row));
  return id;
}

/** Stores an artifact with its content. */
async function keep({ api, orgId }: World, run: Run): Promise<string> {
  const content = Buffer.from('content');
  const blob = `artifacts/${orgId}/${run.id}/log`;
  await api.ctx.blobs.put(blob, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = { name: 'log.txt', contentType: 'text/plain', sizeBytes: content.length, sha256, blob };
  return recordArtifact(api.ctx, run, file);
}

/** Creates a change request of the session; returns its number. */
async function propose({ api, org, orgId, key, values }: World, sessionId: string): Promise<string> {
  const repositoryId = madeIn({ values }, 'repositories/{id}');
  const { json } = await api.call('GET', `${org}/repositories/${repositoryId}`, { key });
  const ada = await createGitUser();
  const work = await ada.start({ 'a.txt': 'one\n' });
  const base = await ada.git(work, 'rev-parse', 'HEAD');
  const head = await ada.commit(work, { 'a.txt': 'two\n', 'src/orders.js': 'export const total = 2;\n' });
  const remote = withKey(String(json['clone_url']), key);
  await ada.git(work, 'push', '-q', remote, `${base}:refs/heads/main`, 'HEAD:fix');
  await ada.close();
  const row = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId,
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
