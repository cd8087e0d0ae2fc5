import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { talkingGithub, talkingGitlab, type MergingHost } from '../../../test/hosts/talking.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';
import { beginAutoMerge } from '../repositories/public.ts';
import type { RepositoryRef } from '../../adapters/source-control/port.ts';
import { lookAtChangeRequest } from './look-service.ts';

const organization = '/v3/organizations/default';

/** The script agent acts on what it was told. */
const step = String.raw`
if grep -q 'In cents' "$GUILDHALL_PROMPT_FILE"; then sleep 3; echo 'exports.price = 42; // cents' > price.js
elif grep -q 'Break it' "$GUILDHALL_PROMPT_FILE"; then echo 'exports.price = 0;' > price.js
else echo 'exports.price = 41;' > price.js; fi`;

let fixture: RuntimeFixture;
let user: GitUser;
/** The clock is ahead, so that the test need not wait for a quiet minute. */
let aheadMs = 0;
beforeAll(async () => {
  fixture = await createRuntimeFixture({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' });
  user = await createGitUser();
  await fixture.worker();
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await user.close();
});

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fixture.api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

describe.each([
  ['GitHub', talkingGithub],
  ['GitLab', talkingGitlab],
] as const)('at %s', (_, open) => {
  let host: MergingHost;
  let ref: RepositoryRef;
  beforeAll(async () => {
    host = await open(user, { 'price.js': 'exports.price = 40;\n' });
    const { provider, url, token, repo } = host;
    const { id: connection_id } = await call('POST', '/git-connections', { provider, host: url, token });
    const { id } = await call('POST', '/repositories', { provider, repo, connection_id });
    await call('PUT', `/repositories/${String(id)}/follow`, { auto_merge: 'provider' });
    const { rows } = await fixture.api.ctx.db.pool.query('select org_id from repositories where id = $1', [id]);
    ref = { orgId: String(rows[0]?.org_id), connectionId: String(connection_id), id: String(id), repo };
  }, 60_000);
  afterAll(() => host.close());

  /** Runs a session that opens a change request, which the host cannot merge yet. */
  async function propose() {
    const { provider, repo } = host;
    const agent = { steps: [{ run: step }], summary: '[1] The price is in cents.' };
    const check = 'grep -q 4[12] price.js';
    const session = await fixture.run({ repositories: [{ provider, repo }], agent, verify_command: check });
    const number = session.change_requests[0]?.number ?? 0;
    host.hold(number);
    const branch = session.repositories[0]?.branch ?? '';
    return { id: session.id, number, branch, head: (await host.tip(branch)) ?? '' };
  }

  test('a host that was asked to merge merges nothing stale: a round turns it off, and it stays off if the push fails', async () => {
    const { id, number, branch, head } = await propose();
    const place = { org_id: ref.orgId, repository_id: ref.id, number };
    const ctx = { ...fixture.api.ctx, clock: { now: () => new Date(Date.now() + aheadMs) } };
    /** Looks as jobs do, two minutes apart, until following has a state. */
    const follows = async (state: string): Promise<void> => {
      await fixture.until(async () => {
        await lookAtChangeRequest(ctx, place);
        aheadMs += 120_000;
        const now = await call('GET', `/repositories/${ref.id}/change-requests/${number}/follow`);
        return now['state'] === state ? true : undefined;
      }, `following is ${state}`);
    };
    await host.status(head, 'success', 'Passed.');
    await follows('ready');
    expect(host.mergesItself(number)).toBe(true);
    // A person asks for more: the host must not merge what is there.
    await host.commentOnLine(number, 'price.js', 'In cents, please.');
    await follows('working');
    expect(host.mergesItself(number)).toBe(false);
    // The push is refused, because somebody else pushed.
    const theirs = await host.commitOn(branch, { 'other.txt': 'theirs\n' });
    await fixture.reaches(id, 'failed');
    await follows('needs_person');
    await lookAtChangeRequest(ctx, place);
    const followed = await call('GET', `/repositories/${ref.id}/change-requests/${number}/follow`);
    expect(followed).toMatchObject({ state: 'needs_person', reason: expect.stringContaining('somebody else') });
    expect([await host.tip(branch), host.mergesItself(number)]).toEqual([theirs, false]);
  }, 180_000);

  test('a session that fails its check turns it off before it pushes, although nobody looked', async () => {
    const { id, number, branch, head } = await propose();
    await beginAutoMerge(fixture.api.ctx, { provider: host.provider, ref, number }, head);
    expect(host.mergesItself(number)).toBe(true);
    const atPush: boolean[] = [];
    host.onPush(() => void atPush.push(host.mergesItself(number)));
    await call('POST', `/sessions/${id}/messages`, { content: 'Break it' });
    await fixture.reaches(id, 'failed');
    expect(await host.tip(branch)).not.toBe(head);
    expect([new Set(atPush), host.mergesItself(number)]).toEqual([new Set([false]), false]);
  }, 180_000);
});
