import { afterAll, beforeAll, expect, test } from 'vitest';
import { endJob } from '../../../../test/hosts/gitlab/checks.ts';
import { connectGitlab, type ConnectedGitlab } from '../../../../test/hosts/gitlab/connected.ts';
import { say } from '../../../../test/hosts/gitlab/notes.ts';
import type { FakeMergeRequest } from '../../../../test/hosts/gitlab/state.ts';
import type { Collaboration, ReviewToSubmit } from '../collaboration.ts';
import type { RepositoryRef } from '../port.ts';
import { withoutQuickActions } from './quick-actions.ts';

let connected: ConnectedGitlab;
let repository: RepositoryRef;
beforeAll(async () => {
  connected = await connectGitlab();
  ({ repository } = connected);
});
afterAll(() => connected.close());

function member<Name extends keyof Collaboration>(name: Name) {
  const found = connected.source[name];
  if (found === undefined) throw new Error(`GitLab does not offer ${name}.`);
  return found;
}

async function propose(branch: string, body = '') {
  const headSha = await connected.push(branch, `${branch}.txt`, 'one\ntwo\nthree\n');
  const input = { title: branch, body, draft: false, headRef: branch, headSha, baseRef: 'main' };
  const { changeRequest } = await connected.source.openChangeRequest(repository, input);
  const request = connected.project.mergeRequests.find(({ iid }) => iid === changeRequest.number);
  if (request === undefined) throw new Error('There is no merge request.');
  return { number: changeRequest.number, headSha, request };
}

const reviewOf = (headSha: string, path: string, lines: readonly number[]): ReviewToSubmit => ({
  headSha,
  body: 'Look at these.',
  verdict: 'comment',
  comments: lines.map((line) => ({ path, line, startLine: null, side: 'new', body: `About ${line}.` })),
});
const bodiesOf = ({ discussions }: FakeMergeRequest) => discussions.map(({ notes }) => notes[0]?.body);

test('checks tell failures of a script from those of the infrastructure, and what a merge requires', async () => {
  const { gitlab, project } = connected;
  const sha = await connected.push('checked', 'checked.txt', 'x\n');
  const job = (name: string, more: Partial<Parameters<typeof endJob>[2]>) =>
    endJob(gitlab, project, { sha, name, status: 'failed', ...more });
  job('again', {});
  job('again', { status: 'success' });
  job('script', {});
  job('runner', { failureReason: 'runner_system_failure' });
  job('may-fail', { allowFailure: true });
  job('by-hand', { status: 'manual' });
  job('stopped', { status: 'canceled' });
  const read = async () =>
    Object.fromEntries(
      (await member('checks')(repository, sha)).map(({ name, state, isRequired }) => [name, [state, isRequired]]),
    );
  expect(await read()).toEqual({
    again: ['success', false],
    script: ['failure', false],
    runner: ['error', false],
    'may-fail': ['failure', false],
    'by-hand': ['neutral', false],
    stopped: ['error', false],
  });
  project.onlyIfPipelineSucceeds = true;
  expect(await read()).toMatchObject({ script: ['failure', true], 'may-fail': ['failure', false] });
  project.onlyIfPipelineSucceeds = false;
});

test('a pipeline without jobs is a failed check', async () => {
  const sha = await connected.push('invalid', 'invalid.txt', 'x\n');
  connected.project.pipelines.unshift({ id: connected.gitlab.nextId(), sha, status: 'failed' });
  const [check, ...others] = await member('checks')(repository, sha);
  expect([check, others]).toMatchObject([{ name: 'pipeline', state: 'failure' }, []]);
  expect(await member('failureLog')(repository, check?.id ?? '', 100)).toBe('');
  await expect(member('rerun')(repository, check?.id ?? '')).rejects.toThrow(/only jobs of its pipelines/);
});

test('of a huge log the end is read; a status of another CI system has none', async () => {
  const { gitlab, project } = connected;
  const sha = await connected.push('logged', 'logged.txt', 'x\n');
  const { id } = endJob(gitlab, project, { sha, name: 'huge', status: 'failed', log: `${'é\n'.repeat(15e6)}the end` });
  const log = await member('failureLog')(repository, String(id), 1_000);
  expect(log).toMatch(/^\n?(?:é\n)+the end$/);
  expect(Buffer.byteLength(log)).toBeLessThanOrEqual(1_000);
  await member('setStatus')(repository, sha, { name: 'ci', state: 'failure', description: 'x'.repeat(999), url: '' });
  const status = (await member('checks')(repository, sha)).find(({ name }) => name === 'ci');
  expect(await member('failureLog')(repository, status?.id ?? '', 1_000)).toBe('');
  await expect(member('rerun')(repository, status?.id ?? '')).rejects.toMatchObject({ retryable: false });
});

test('a status that is there already, and one that GitLab does not know, are set', async () => {
  const sha = await connected.push('set-twice', 'set-twice.txt', 'x\n');
  const set = (state: 'pending' | 'neutral') =>
    member('setStatus')(repository, sha, { name: 'ci', state, description: '', url: '' });
  await set('pending');
  await set('pending');
  connected.gitlab.fail('POST', '/statuses/', { status: 400, body: { error: 'state does not have a valid value' } });
  await set('neutral');
  expect(await member('checks')(repository, sha)).toMatchObject([{ state: 'success' }]);
});

test('of a long discussion the newest 1,000 are read, and long bodies are cut', async () => {
  const { number, request } = await propose('long');
  for (let at = 0; at < 1_150; at += 1) say(connected.gitlab, request, { username: 'ada', body: `Comment ${at}` });
  say(connected.gitlab, request, { username: 'ada', body: `${'x'.repeat(65_535)}éé` });
  const { comments } = await member('discussion')(repository, number);
  expect([comments.length, comments[0]?.body, comments[998]?.body]).toEqual([1_000, 'Comment 151', 'Comment 1149']);
  expect(comments[999]?.body).toBe('x'.repeat(65_535));
});

test('comments that are too large for one answer are read in parts, and one that is too large alone is left out', async () => {
  const { number, request } = await propose('large');
  const { gitlab } = connected;
  for (let at = 0; at < 30; at += 1) say(gitlab, request, { username: 'ada', body: `${at} ${'x'.repeat(400_000)}` });
  say(gitlab, request, { username: 'ada', body: 'x'.repeat(9_000_000) });
  say(gitlab, request, { username: 'ada', body: 'The last one.' });
  const { comments } = await member('discussion')(repository, number);
  expect([comments.length, comments.at(-1)?.body]).toEqual([31, 'The last one.']);
});

test('approvals and states of reviewers are reviews', async () => {
  const { number, request, headSha } = await propose('approved');
  request.approvals.push({ username: 'grace', at: new Date('2026-11-01T00:00:00Z') });
  request.reviewers.push({ username: 'ada', state: 'requested_changes' }, { username: 'edsger', state: 'unreviewed' });
  request.labels.push('guildhall:hold');
  const { reviews, labels } = await member('discussion')(repository, number);
  expect(reviews).toMatchObject([
    { author: { login: 'grace' }, state: 'approved', headSha, createdAt: new Date('2026-11-01T00:00:00Z') },
    { author: { login: 'ada' }, state: 'changes_requested' },
  ]);
  expect(labels).toEqual(['guildhall:hold']);
});

test('a review leaves out what is not in the diff, and is posted at the head that it is about', async () => {
  const { number, headSha, request } = await propose('partly');
  await connected.pushMore('partly', 'partly.txt', 'zero\none\ntwo\nthree\n');
  const { threadIds, id } = await member('submitReview')(repository, number, reviewOf(headSha, 'partly.txt', [3, 99]));
  expect(threadIds).toEqual([expect.stringMatching(/./), '']);
  expect(id).not.toBe('');
  // A line was added before it.
  const { threads } = await member('discussion')(repository, number);
  expect(threads).toMatchObject([{ line: 4, isOutdated: false, comments: [{ body: 'About 3.' }] }]);
  expect(bodiesOf(request)).toEqual(['Look at these.', 'About 3.']);
});

test("a person's own drafts stay drafts", async () => {
  const { number, headSha, request } = await propose('drafts');
  const { username } = connected.token;
  request.drafts.push({ id: connected.gitlab.nextId(), username, note: 'Not yet.', position: undefined });
  const { threadIds, id } = await member('submitReview')(repository, number, reviewOf(headSha, 'drafts.txt', [1]));
  expect([id, ...threadIds]).not.toContain('');
  expect(request.drafts.map(({ note }) => note)).toEqual(['Not yet.']);
  expect(bodiesOf(request)).toEqual(['Look at these.', 'About 1.']);
});

test('a review that was interrupted is posted once', async () => {
  const { number, headSha, request } = await propose('interrupted');
  const submit = () => member('submitReview')(repository, number, reviewOf(headSha, 'interrupted.txt', [1, 2]));
  connected.gitlab.fail('POST', '/bulk_publish', { status: 502 });
  await expect(submit()).rejects.toMatchObject({ retryable: true });
  expect(request.drafts).toHaveLength(3);
  expect((await submit()).threadIds).not.toContain('');
  expect([request.drafts, bodiesOf(request)]).toEqual([[], ['Look at these.', 'About 1.', 'About 2.']]);
});

test('where GitLab offers no drafts, the comments are posted one by one', async () => {
  const { number, headSha, request } = await propose('undrafted');
  connected.gitlab.fail('GET', '/draft_notes', { status: 404, body: { error: '404 Not Found' } });
  await member('submitReview')(repository, number, reviewOf(headSha, 'undrafted.txt', [1, 77]));
  expect(bodiesOf(request)).toEqual(['Look at these.', 'About 1.']);
});

test('nothing that is written is a quick action', async () => {
  expect(withoutQuickActions('/merge\n  /assign @ada\r\nsee /usr/bin\n/usr/bin\n/close')).toBe(
    '\\/merge\n  \\/assign @ada\r\nsee /usr/bin\n/usr/bin\n\\/close',
  );
  const { number, headSha, request } = await propose('quick', '/merge');
  expect(request.description).toBe('\\/merge');
  await connected.source.comment?.(repository, number, '/approve');
  await member('submitReview')(repository, number, { ...reviewOf(headSha, 'quick.txt', []), body: '/close' });
  expect(bodiesOf(request)).toEqual(['\\/approve', '\\/close']);
});

test('an account that is blocked, or reads a public project only, has less permission', async () => {
  const { gitlab, project } = connected;
  const id = gitlab.accountId('visitor');
  expect(await member('permissionOf')(repository, 'visitor')).toBe('none');
  project.visibility = 'public';
  expect(await member('permissionOf')(repository, 'visitor')).toBe('read');
  project.visibility = 'private';
  const blocked = { id, username: 'visitor', state: 'blocked', access_level: 40 };
  gitlab.fail('GET', '/members/all/', { status: 200, body: blocked });
  expect(await member('permissionOf')(repository, 'visitor')).toBe('none');
});
