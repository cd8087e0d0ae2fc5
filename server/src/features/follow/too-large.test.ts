import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../../../test/support/api.ts';
import { talkingGitlab, type TalkingHost } from '../../../test/hosts/talking.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';
import { lookAtChangeRequest } from './look-service.ts';

const organization = '/v3/organizations/default';

let fixture: RuntimeFixture;
/** A process with a lower limit on copies. */
let small: TestApi;
let user: GitUser;
let host: TalkingHost;
beforeAll(async () => {
  fixture = await createRuntimeFixture({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' });
  small = await fixture.api.another({ GUILDHALL_CLONE_MAX: '1MiB' });
  user = await createGitUser();
  host = await talkingGitlab(user, { 'price.js': 'exports.price = 40;\n' });
  await fixture.worker();
}, 60_000);
afterAll(async () => {
  await small.close();
  await fixture.close();
  await user.close();
  await host.close();
});

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fixture.api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

test('a repository that outgrows the limit on copies needs a person, who is told what to do, and goes on once the limit is raised', async () => {
  const { provider, url, token, repo } = host;
  const { id: connection_id } = await call('POST', '/git-connections', { provider, host: url, token });
  const { id: repository_id } = await call('POST', '/repositories', { provider, repo, connection_id });
  const agent = { steps: [{ run: "echo 'exports.price = 42;' > price.js" }], summary: '[1] Raised.' };
  const session = await fixture.run({ repositories: [{ provider, repo }], agent, verify_command: 'grep 42 price.js' });
  const number = session.change_requests[0]?.number ?? 0;
  const path = `/repositories/${String(repository_id)}/change-requests/${number}/follow`;
  const { pool } = fixture.api.ctx.db;
  const { rows } = await pool.query('select org_id from repositories where id = $1', [repository_id]);
  const place = { org_id: String(rows[0]?.org_id), repository_id: String(repository_id), number };
  let aheadMs = 0;
  /** Looks as a job in a process does, two minutes after the last time. */
  const look = async ({ ctx }: TestApi): Promise<Record<string, unknown>> => {
    aheadMs += 120_000;
    await lookAtChangeRequest({ ...ctx, clock: { now: () => new Date(Date.now() + aheadMs) } }, place);
    return call('GET', path);
  };
  await look(fixture.api);
  expect(await look(fixture.api)).toMatchObject({ state: 'ready', reason: '' });

  await host.commitOn('main', { 'large.txt': randomBytes(3 * 1024 ** 2).toString('base64') });
  const reason =
    'The repository is larger than the 1 MiB that Guildhall copies. Remove large files from its history, or ask the ' +
    'operator for a larger limit (GUILDHALL_CLONE_MAX). Following tries again every hour.';
  expect(await look(small)).toMatchObject({ state: 'needs_person', reason });
  const { items } = await call('GET', '/change-requests?needs_person=true');
  expect(items).toEqual([expect.objectContaining({ number, repository_id })]);
  const told = async (): Promise<unknown[]> => {
    const { items: events } = await call('GET', `/sessions/${session.id}/events?kind=change_request`);
    return Object(events).map(({ data }: { data: { follow?: { state: string } } }) => data.follow?.state);
  };
  await expect.poll(told, { timeout: 20_000 }).toContain('needs_person');
  // Nobody need push or resume for the next look.
  const { rows: due } = await pool.query('select look_at from follows where number = $1', [number]);
  const waitsMs = new Date(Object(due[0]).look_at).getTime() - Date.now() - aheadMs;
  expect(waitsMs).toBeGreaterThan(59 * 60_000);
  expect(waitsMs).toBeLessThanOrEqual(60 * 60_000);

  // A person who changed nothing is told so again.
  expect(await call('POST', path, { action: 'resume' })).toMatchObject({ state: 'watching' });
  expect(await look(small)).toMatchObject({ state: 'needs_person', reason });
  expect(await look(fixture.api)).toMatchObject({ state: 'ready', reason: '' });
}, 120_000);
