import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectGithub } from '../../../../test/hosts/github/connected.ts';
import { say } from '../../../../test/hosts/github/said.ts';
import type { Repository } from '../../../../test/hosts/github/state.ts';
import { CredentialRejected, type HostCredential } from '../connection.ts';

let connected: Awaited<ReturnType<typeof connectGithub>>;
let there: Repository;
let round = 0;
let app: HostCredential;
beforeAll(async () => {
  connected = await connectGithub();
  there = connected.fake.repository('acme/app');
  app = connected.state.credential;
});
beforeEach(() => {
  round += 1;
  // Another minute, so that no test meets the pace of another one.
  connected.fake.aheadMs += 61_000;
  connected.state.credential = app;
});
afterAll(async () => {
  expect(connected.fake.problems).toEqual([]);
  await connected.close();
});

const ada = { login: 'ada', isBot: false };
async function propose(text = 'one\ntwo\n') {
  const headRef = `topic-${round}`;
  const headSha = await connected.push(headRef, `${headRef}.txt`, text);
  const input = { title: 'Right it', body: '', draft: false, headRef, headSha, baseRef: 'main' };
  return (await connected.source.openChangeRequest(connected.repository, input)).changeRequest;
}
const on = (line: number, body: string) =>
  ({ path: `topic-${round}.txt`, line, startLine: null, side: 'new', body }) as const;
const discuss = async (number: number) => connected.source.discussion?.(connected.repository, number);

test('of more than 1,000 comments the newest are read, with bounded requests', async () => {
  const { number } = await propose();
  for (let count = 0; count < 1_250; count += 1) say(connected.fake.world, there, number, ada, `Comment ${count}`);
  const before = connected.fake.requests.length;
  const comments = (await discuss(number))?.comments ?? [];
  expect([comments.length, comments[0]?.body, comments.at(-1)?.body]).toEqual([1_000, 'Comment 250', 'Comment 1249']);
  expect(connected.fake.requests.length - before).toBeLessThanOrEqual(15);
});

test('long and broken texts are cut, and pages of them read in smaller ones', async () => {
  const { number } = await propose();
  for (let count = 0; count < 120; count += 1)
    say(connected.fake.world, there, number, ada, '\u{1F600}'.repeat(32_768));
  say(connected.fake.world, there, number, ada, `a\0b\uD800`);
  const comments = (await discuss(number))?.comments ?? [];
  expect(comments.at(-1)?.body).toBe('ab\uFFFD');
  expect(comments.length).toBeGreaterThan(100);
  expect(Math.max(...comments.map(({ body }) => Buffer.byteLength(body)))).toBe(65_536);
});

test('a pull request of 3,000 files is reviewed', async () => {
  const { source, repository, work, fixture } = connected;
  const headRef = `topic-${round}`;
  await fixture.client(work, 'checkout', '-q', '-B', headRef, 'main');
  const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`many/${index}.txt`, `${index}\n`]));
  const headSha = await fixture.commit(work, { ...files, [`${headRef}.txt`]: 'one\n' });
  await fixture.client(work, 'push', '-q', there.bare.directory, headRef);
  const input = { title: 'Many', body: '', draft: false, headRef, headSha, baseRef: 'main' };
  const { changeRequest } = await source.openChangeRequest(repository, input);
  const comments = [on(1, 'One.'), { ...on(1, 'Last.'), path: 'many/2999.txt' }];
  const review = { headSha, body: 'Many files.', verdict: 'comment', comments } as const;
  const submitted = await source.submitReview?.(repository, changeRequest.number, review);
  expect(submitted?.threadIds.filter((id) => id !== '')).toHaveLength(2);
});

test('a review loses no comment to one that GitHub refuses, and an author only comments', async () => {
  const { source, repository } = connected;
  const { number, headSha } = await propose();
  const comments = [on(1, 'In the change.'), on(900, 'Outside.'), on(2, 'In it too.')];
  const review = { headSha, body: 'Three things.', verdict: 'request_changes', comments } as const;
  const { threadIds = [] } = (await source.submitReview?.(repository, number, review)) ?? {};
  const { threads = [], reviews = [] } = (await discuss(number)) ?? {};
  expect(threadIds.map((id) => threads.find((thread) => thread.id === id)?.line)).toEqual([1, undefined, 2]);
  expect(reviews).toMatchObject([
    { body: 'Three things.', state: 'commented', headSha, author: { login: 'guildhall[bot]', isBot: true } },
  ]);
});

test('a token without checks reads commit statuses alone', async () => {
  const { fake, source, repository, state } = connected;
  const { headSha } = await propose();
  await connected.fail(headSha, 'build', 'It failed.');
  await source.setStatus?.(repository, headSha, { name: 'ci', state: 'error', description: 'x'.repeat(200), url: '' });
  const all = (await source.checks?.(repository, headSha)) ?? [];
  expect(all.map(({ name, state: at, isRequired }) => [name, at, isRequired])).toEqual([
    ['build', 'failure', false],
    ['ci', 'error', false],
  ]);
  const permissions = { metadata: 'read', pull_requests: 'read', statuses: 'read' };
  state.credential = { kind: 'token', token: fake.grants.add({ login: 'ada', permissions }) };
  expect(await source.checks?.(repository, headSha)).toMatchObject([{ name: 'ci', description: 'x'.repeat(140) }]);
});

test('the end of a log of any size is read, and of a check of another App what it says', async () => {
  const { fake, source, repository } = connected;
  const { headSha } = await propose();
  await connected.fail(headSha, 'huge', `${'noise\n'.repeat(8_000_000)}the end`);
  const other = { status: 'COMPLETED', conclusion: 'FAILURE', completedAt: null, log: undefined } as const;
  const [id, runId] = [fake.world.nextId(), fake.world.nextId()];
  there.checkRuns.push({ id, runId, sha: headSha, name: 'other', summary: 'Two things are wrong.', ...other });
  const checks = (await source.checks?.(repository, headSha)) ?? [];
  const logOf = async (name: string) =>
    source.failureLog?.(repository, checks.find((check) => check.name === name)?.id ?? '', 100);
  expect(await logOf('huge')).toMatch(/noise\nthe end$/);
  expect(await logOf('other')).toContain('Two things are wrong.');
  await source.rerun?.(repository, `run:${id}`);
  expect(there.checkRuns.find((run) => run.id === id)?.status).toBe('QUEUED');
  await expect(source.rerun?.(repository, 'status:ci')).rejects.toMatchObject({ retryable: false });
});

test('what may merge now is merged, or enters the merge queue; a repository may forbid it', async () => {
  const { source, repository } = connected;
  const first = await propose();
  await source.enableAutoMerge?.(repository, first.number, 'squash', first.headSha);
  expect(await source.changeRequest(repository, first.number)).toMatchObject({ state: 'merged' });
  await source.enableAutoMerge?.(repository, first.number, 'squash', first.headSha);

  round += 1;
  const second = await propose();
  there.hasMergeQueue = true;
  await source.enableAutoMerge?.(repository, second.number, 'merge', second.headSha);
  expect(there.autoMerging.get(second.number)).toBe('queue');
  await source.disableAutoMerge?.(repository, second.number);
  expect(there.autoMerging.has(second.number)).toBe(false);
  there.hasMergeQueue = false;

  round += 1;
  const third = await propose();
  there.allowsAutoMerge = false;
  await expect(source.enableAutoMerge?.(repository, third.number, 'merge', third.headSha)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining('Allow auto-merge in its settings'),
  });
  there.allowsAutoMerge = true;
});

test('a revoked token and a missing permission are told apart', async () => {
  const { fake, source, repository, state } = connected;
  const { number, headSha } = await propose();
  const token = fake.grants.add({ login: 'ada', permissions: { metadata: 'read', pull_requests: 'read' } });
  state.credential = { kind: 'token', token };
  const status = { name: 'ci', state: 'success', description: '', url: '' } as const;
  await expect(source.setStatus?.(repository, headSha, status)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining('lacks the permission statuses: write'),
  });
  fake.grants.revoke(token);
  await expect(discuss(number)).rejects.toBeInstanceOf(CredentialRejected);
});

test('writes stop below the secondary limit, for a minute', async () => {
  const { fake, source, repository } = connected;
  const { number } = await propose();
  const write = async (body: string) => source.comment?.(repository, number, body);
  for (let count = 0; count < 60; count += 1) await write(`Comment ${count}`);
  const sent = fake.requests.length;
  await expect(write('One too many')).rejects.toMatchObject({ retryable: true, status: 429 });
  expect(fake.requests.length).toBe(sent);
  expect((await discuss(number))?.comments).toHaveLength(60);
  fake.aheadMs += 60_000;
  await write('Later');
});

test('the GraphQL API reports a rate limit with status 200', async () => {
  const { fake } = connected;
  const { number } = await propose();
  const body = JSON.stringify({
    errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded for installation' }],
  });
  fake.fail({ method: 'POST', path: /^\/graphql$/, answer: { status: 200, body } });
  await expect(discuss(number)).rejects.toMatchObject({ retryable: true, status: 429 });
  await expect(discuss(number)).rejects.toMatchObject({ retryable: true, status: 429 });
  fake.aheadMs += 61_000;
  expect(await discuss(number)).toMatchObject({ comments: [] });
});
