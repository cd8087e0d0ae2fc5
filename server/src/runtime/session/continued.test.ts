import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';

const organization = '/v3/organizations/default';
const addition = { steps: [{ run: 'echo two >> notes.txt' }], summary: 'Added two.' };
const check = { verify_command: 'grep -q one notes.txt' };

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.worker();
});
afterAll(() => fixture.close());

interface Opened {
  repository: TestRepository;
  first: string;
  branch: string;
  path: string;
}

async function call(method: string, path: string, body?: object) {
  return fixture.api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
}

/** A session opens a change request, and stops to follow it. */
async function open(policy: object = { mode: 'off' }): Promise<Opened> {
  const repository = await fixture.repository({ 'notes.txt': 'zero\n' });
  await call('PUT', `/repositories/${repository.id}/follow`, policy);
  const agent = { steps: [{ run: 'echo one >> notes.txt' }], summary: 'Added one.' };
  const session = await fixture.run({ repository, agent, title: 'Add one', ...check });
  const path = `/repositories/${repository.id}/change-requests/1`;
  return { repository, first: session.id, branch: session.repositories[0]?.branch ?? '', path };
}

const continuing = ({ repository }: Opened, agent: object = addition) => ({
  repositories: [{ repo: repository.repo, change_request: 1 }],
  prompt: 'Add two.',
  agent,
  ...check,
});

/** Adds a commit to a branch as a person does. */
async function pushByHand({ repository, branch }: Opened, name: string): Promise<string> {
  const work = await fixture.clone(repository, branch);
  await writeFile(`${work}/${name}`, 'by hand\n');
  await fixture.git(work, 'add', name);
  await fixture.git(work, 'commit', '-qm', 'by hand');
  await fixture.git(work, 'push', '-q', 'origin', `HEAD:${branch}`);
  return fixture.git(work, 'rev-parse', 'HEAD');
}

/** A change request without the time when it was last written. */
function untold({ json }: Awaited<ReturnType<typeof call>>) {
  const { updated_at: _, ...rest } = json;
  return rest;
}

describe('a session that continues a change request', () => {
  test('works on its branch, and updates it', async () => {
    const opened = await open();
    const byHand = await pushByHand(opened, 'hand.txt');
    const before = (await call('GET', opened.path)).json;
    const session = await fixture.run(continuing(opened));
    expect(session).toMatchObject({
      status: 'completed',
      verification: 'fixed',
      repositories: [{ base_ref: 'main', branch: opened.branch, base_commit: before['base_sha'] }],
      change_requests: [{ number: 1, state: 'open' }],
    });
    const after = (await call('GET', opened.path)).json;
    expect(after).toMatchObject({
      title: before['title'],
      body: before['body'],
      draft: false,
      session_id: opened.first,
      additions: 3,
      changed_files: 2,
    });
    const work = await fixture.clone(opened.repository, opened.branch);
    expect(await fixture.git(work, 'show', 'HEAD:notes.txt')).toBe('zero\none\ntwo');
    expect(await fixture.git(work, 'rev-parse', 'HEAD~1')).toBe(byHand);
    expect(await fixture.changeRequests(opened.repository)).toHaveLength(1);

    for (const id of [session.id, opened.first]) {
      expect((await call('GET', `/sessions/${id}/change-requests`)).json['total']).toBe(1);
      expect((await call('GET', `/change-requests?session_id=${id}`)).json['total']).toBe(1);
      expect((await fixture.get(id)).change_requests).toHaveLength(1);
    }
    const again = await call('POST', `/sessions/${session.id}/change-requests`, { title: 'Mine' });
    expect([again.status, again.json['error']]).toEqual([409, 'conflict']);
    await call('POST', `${opened.path}/merge`, {});
    for (const id of [session.id, opened.first])
      await fixture.event(id, ({ kind, data }) => kind === 'change_request' && data['state'] === 'merged');
  });

  test('continues it over turns', async () => {
    const opened = await open();
    const agent = { steps: [{ run: 'date +%s%N >> notes.txt' }], summary: 'Added a time.' };
    const { id } = await fixture.run(continuing(opened, agent));
    const between = await fixture.clone(opened.repository, opened.branch);
    await fixture.stopWorkers();
    await fixture.worker();
    await call('POST', `/sessions/${id}/messages`, { content: 'Once more.' });
    await fixture.until(async () => {
      const { head_sha: head } = (await call('GET', opened.path)).json;
      return head !== (await fixture.git(between, 'rev-parse', 'HEAD')) ? head : undefined;
    }, 'another push');
    const work = await fixture.clone(opened.repository, opened.branch);
    expect((await fixture.git(work, 'show', 'HEAD:notes.txt')).split('\n')).toHaveLength(4);
    expect(await fixture.git(work, 'rev-list', '--count', 'origin/main..HEAD')).toBe('3');
  });

  test('never replaces commits that arrive meanwhile', async () => {
    const opened = await open();
    const agent = { steps: [{ run: 'echo two >> notes.txt; sleep 8' }], summary: 'Added two.' };
    const { id } = await fixture.create(continuing(opened, agent));
    await fixture.reaches(id, 'running');
    await fixture.event(id, ({ kind }) => kind === 'command');
    const byHand = await pushByHand(opened, 'hand.txt');
    expect(await fixture.reaches(id, 'failed', 'completed')).toMatchObject({ error: { code: 'branch_conflict' } });
    expect((await call('GET', opened.path)).json['head_sha']).toBe(byHand);
  });

  test('leaves it as it is when its check fails, and keeps the work for a later turn', async () => {
    const opened = await open();
    const byHand = await pushByHand(opened, 'hand.txt');
    const before = await call('GET', opened.path);
    const mends = 'test -e broken && { rm broken; echo one > notes.txt; } || { echo two > notes.txt; touch broken; }';
    const session = await fixture.run(continuing(opened, { steps: [{ run: mends }], summary: '' }));
    expect(session).toMatchObject({ status: 'failed', verification: 'failed', error: { code: 'verify_failed' } });
    expect(session.error?.message).toContain(`Nothing was pushed to change request #1 of ${opened.repository.repo}`);
    expect(session.phases.find(({ name }) => name === 'deliver')?.status).toBe('skipped');
    expect(untold(await call('GET', opened.path))).toEqual({ ...untold(before), head_sha: byHand });
    const untouched = await fixture.clone(opened.repository, opened.branch);
    expect(await fixture.git(untouched, 'rev-parse', 'HEAD')).toBe(byHand);
    const diff = await call('GET', `/sessions/${session.id}/diff`);
    expect(JSON.stringify(diff.json)).toContain('+two');

    await call('POST', `/sessions/${session.id}/messages`, { content: 'Mend it.' });
    const mended = await fixture.until(async () => {
      const now = await fixture.get(session.id);
      return now.status === 'completed' ? now : undefined;
    }, 'the second turn');
    expect(mended.verification).toBe('fixed');
    const work = await fixture.clone(opened.repository, opened.branch);
    expect(await fixture.git(work, 'show', 'HEAD:notes.txt')).toBe('one');
    expect(await fixture.git(work, 'merge-base', 'HEAD', byHand)).toBe(byHand);
  });

  test('leaves it as it is when the session fails without its structured output', async () => {
    const opened = await open();
    const before = await call('GET', opened.path);
    const output = { structured_output_required: true, structured_output_schema: { type: 'object' } };
    const session = await fixture.run({ ...continuing(opened), ...output });
    expect(session).toMatchObject({ status: 'failed', error: { code: 'structured_output_missing' } });
    expect(untold(await call('GET', opened.path))).toEqual(untold(before));
    const work = await fixture.clone(opened.repository, opened.branch);
    expect(await fixture.git(work, 'rev-parse', 'HEAD')).toBe(before.json['head_sha']);
  });

  test('owns it where the policy follows, once nobody else does', async () => {
    const opened = await open({ mode: 'fix' });
    const { agent: _, ...asked } = continuing(opened);
    const refused = await call('POST', '/sessions', asked);
    expect([refused.status, refused.json['error']]).toEqual([409, 'conflict']);
    expect(String(refused.json['message'])).toContain(opened.first);
    const { status } = await call('POST', `${opened.path}/follow`, { action: 'watch' });
    expect(status).toBe(200);
    expect((await call('POST', '/sessions', asked)).status).toBe(409);
    await call('POST', `${opened.path}/follow`, { action: 'end' });
    const reading = await call('POST', '/sessions', { ...asked, deliver: 'none' });
    expect([reading.status, reading.json['change_requests']]).toEqual([201, []]);
    const { id } = await fixture.run(continuing(opened));
    const owned = async () => (await call('GET', `${opened.path}/follow`)).json;
    await expect.poll(owned).toMatchObject({ session_id: id });
    expect((await call('POST', '/sessions', asked)).status).toBe(409);
  });
});

test('what cannot be continued is refused at creation', async () => {
  const opened = await open();
  const { repo } = opened.repository;
  const ask = async (repository: object, more: object = {}) => {
    const { status, json } = await call('POST', '/sessions', { prompt: 'x', repositories: [repository], ...more });
    return [status, json['error']];
  };
  expect(await ask({ repo, change_request: 2 })).toEqual([404, 'change_request_not_found']);
  expect(await ask({ repo, change_request: 0 })).toEqual([400, 'invalid_request']);
  expect(await ask({ repo, change_request: 1, ref: 'main' })).toEqual([400, 'invalid_request']);
  expect(await ask({ repo, change_request: 1 }, { deliver: 'draft' })).toEqual([400, 'invalid_request']);
  expect(await ask({ repo: 'acme/none', change_request: 1 })).toEqual([404, 'repository_not_found']);
  await call('POST', `${opened.path}/close`, {});
  expect(await ask({ repo, change_request: 1 })).toEqual([409, 'change_request_closed']);
});
