import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { settleChangeRequests } from './settle-service.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';

let api: TestApi;
let ada: GitUser;
let orgId: string;
let userId: string;
let repository: { id: string; url: string };
let work: string;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const { json } = await api.call('GET', '/v3/self');
  orgId = /org_\w+/.exec(JSON.stringify(json))?.[0] ?? '';
  userId = String(json['principal_id']);
});
afterAll(async () => {
  await ada.close();
  await api.close();
});
beforeEach(async () => {
  const body = { provider: 'local', repo: `acme/project-${(serial += 1)}` };
  const { json } = await api.call('POST', repositories, { body });
  repository = { id: String(json['id']), url: withKey(String(json['clone_url']), api.adminKey) };
  work = await ada.start({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  await ada.git(work, 'push', '-q', repository.url, 'main');
});

const repositories = '/v3/organizations/default/repositories';
const evidence = {
  kind: 'command',
  command: 'npm test',
  exit_code: 0,
  duration_ms: 12,
  output_tail: 'ok',
  artifact_id: null,
} as const;
let serial = 0;

function at(rest = ''): string {
  return `${repositories}/${repository.id}/change-requests${rest}`;
}

/** Pushes a branch that changes files, and opens its change request as a run does. Returns number and commit. */
async function propose(branch: string, files: Record<string, string>, more: object = {}) {
  const base = await ada.git(work, 'rev-parse', 'main');
  await ada.git(work, 'checkout', '-q', '-b', branch, 'main');
  const head = await ada.commit(work, files, `change on ${branch}`);
  await ada.git(work, 'push', '-q', repository.url, branch);
  await ada.git(work, 'checkout', '-q', 'main');
  const row = await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: repository.id,
    headRef: branch,
    headSha: head,
    baseRef: 'main',
    baseSha: base,
    title: 'Right the answer',
    body: 'It was wrong.',
    draft: false,
    evidence: [evidence],
    author: { type: 'user', id: userId },
    sessionId: '',
    ...more,
  });
  return { number: row.number, head, base };
}

function expectError({ status, json }: Answer, expected: number, error: string): void {
  expect([status, json['error']]).toEqual([expected, error]);
}

describe('reading', () => {
  test('a change request has every documented key', async () => {
    const { number, head, base } = await propose('fix', { 'a.txt': 'one\n2\nthree\n' });
    const { status, json } = await api.call('GET', at(`/${number}`));
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^cr_/),
      repository_id: repository.id,
      provider: 'local',
      repo: `acme/project-${serial}`,
      number: 1,
      title: 'Right the answer',
      body: 'It was wrong.',
      state: 'open',
      draft: false,
      head_ref: 'fix',
      head_sha: head,
      base_ref: 'main',
      base_sha: base,
      author: { type: 'user', id: userId, name: 'Administrator' },
      session_id: '',
      evidence: [evidence],
      additions: 1,
      deletions: 1,
      changed_files: 1,
      mergeable: true,
      checks: { state: 'none', failing: [] },
      review_state: '',
      follow: { state: 'off', rounds: 0 },
      url: `${api.url}/console/default/repositories/${repository.id}/change-requests/1`,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      merged_at: null,
    });
  });

  test('the list is newest first, filters by state, and counts numbers per repository', async () => {
    const one = await propose('one', { 'a.txt': '1\n' });
    const two = await propose('two', { 'c.txt': '2\n' });
    expect([one.number, two.number]).toEqual([1, 2]);
    await api.call('POST', at('/1/close'));
    const list = async (query: string) => (await api.call('GET', `${at()}${query}`)).json;
    expect(await list('')).toMatchObject({ total: 2, items: [{ number: 2 }, { number: 1 }] });
    expect(await list('?state=open')).toMatchObject({ total: 1, items: [{ number: 2 }] });
    expect(await list('?state=closed,merged')).toMatchObject({ total: 1, items: [{ number: 1 }] });
    expectError(await api.call('GET', `${at()}?state=done`), 400, 'invalid_request');
  });

  test('the diff says what merging would change, binary files too', async () => {
    const { number, head, base } = await propose('fix', { 'a.txt': 'one\n2\nthree\n', 'new.bin': 'a\0b' });
    const { status, json } = await api.call('GET', at(`/${number}/diff`));
    expect(status).toBe(200);
    expect(json).toMatchObject({ base_commit: base, head_commit: head, additions: 1, deletions: 1 });
    expect(json['files']).toMatchObject([
      { path: 'a.txt', old_path: '', status: 'modified', binary: false, additions: 1, deletions: 1 },
      { path: 'new.bin', status: 'added', binary: true },
    ]);
    expect(JSON.stringify(json['files'])).toContain('-two\\n+2');
  });

  test.each(['', '/diff'])('an unknown number%s is 404, what is no number 400', async (rest) => {
    expectError(await api.call('GET', at(`/99${rest}`)), 404, 'change_request_not_found');
    expectError(await api.call('GET', at(`/x${rest}`)), 400, 'invalid_request');
    const elsewhere = `${repositories}/repo_none/change-requests/1${rest}`;
    expectError(await api.call('GET', elsewhere), 404, 'repository_not_found');
  });
});

describe('comments', () => {
  const comments = (number: number, rest = '') => at(`/${number}/comments${rest}`);

  test('on the whole and on lines are read again, newest first, with their authors by name', async () => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    const whole = await api.call('POST', comments(number), { body: { body: 'Nice.' } });
    expect([whole.status, whole.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^crc_/),
        body: 'Nice.',
        file: '',
        path: '',
        side: 'new',
        line: null,
        start_line: null,
        in_reply_to: '',
        resolved: false,
        acknowledged_at: null,
        author: { type: 'user', id: userId, name: 'Administrator' },
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const line = await api.call('POST', comments(number), { body: { body: 'x', path: 'a.txt', line: 1 } });
    expect(line.json).toMatchObject({ file: 'a.txt', path: 'a.txt', line: 1 });
    const place = { file: 'a.txt', side: 'old', start_line: 1, line: 2 };
    const answer = { body: 'y', ...place, in_reply_to: line.json['id'] };
    const old = await api.call('POST', comments(number), { body: answer });
    expect(old.json).toMatchObject({ ...answer, path: 'a.txt' });
    const { json } = await api.call('GET', comments(number));
    expect(json).toMatchObject({ total: 3, items: [old.json, line.json, whole.json] });
    const page = await api.call('GET', comments(number, '?first=1'));
    const next = comments(number, `?first=1&after=${String(page.json['end_cursor'])}`);
    expect((await api.call('GET', next)).json['items']).toEqual([line.json]);
  });

  test.each([
    [{}],
    [{ body: '' }],
    [{ body: ' \n' }],
    [{ body: 'x', line: 1 }],
    [{ body: 'x', file: '', line: 1 }],
    [{ body: 'x', line: 0 }],
    [{ body: 'x', line: '1' }],
    [{ body: 'x', side: 'left' }],
    [{ body: 'x', file: 'a', path: 'b' }],
    [{ body: 'x', start_line: 1 }],
    [{ body: 'x', start_line: 3, line: 2 }],
    [{ body: 'x', in_reply_to: 'crc_none' }],
    [{ body: 'x', file: 'missing.txt', line: 1 }],
  ])('%o is 400', async (body) => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    expectError(await api.call('POST', comments(number), { body }), 400, 'invalid_request');
    expect((await api.call('GET', comments(number))).json['total']).toBe(0);
  });

  test('one is resolved with repos:write; its text is changed by its author, or with org:write', async () => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    const reviewer = await api.keyWith(['repos:write']);
    const mine = await api.call('POST', comments(number), { body: { body: 'Mine.' } });
    const theirs = await api.call('POST', comments(number), { key: reviewer, body: { body: 'Theirs.' } });
    const change = (comment: Answer, body: object, key = api.adminKey) =>
      api.call('PATCH', comments(number, `/${String(comment.json['id'])}`), { key, body });
    expect((await change(mine, { resolved: true }, reviewer)).json).toEqual({ ...mine.json, resolved: true });
    expectError(await change(mine, { body: 'Not mine.' }, reviewer), 403, 'forbidden');
    expectError(await change(mine, { body: 'Not mine.', resolved: false }, reviewer), 403, 'forbidden');
    expect((await change(mine, { resolved: true })).json).toMatchObject({ body: 'Mine.', resolved: true });
    expect((await change(theirs, { body: 'Theirs!' }, reviewer)).json).toMatchObject({ body: 'Theirs!' });
    expect((await change(theirs, { body: 'Tidied.' })).json).toMatchObject({
      body: 'Tidied.',
      author: theirs.json['author'],
    });
    for (const body of [{}, { body: '' }, { body: ' ' }, { resolved: 'yes' }, { line: 1 }])
      expectError(await change(mine, body), 400, 'invalid_request');
    const audited = async (): Promise<unknown> =>
      (await api.ctx.db.pool.query('select count(*) from audit_entries')).rows[0].count;
    const before = await audited();
    const same = await change(mine, { body: 'Mine.', resolved: true });
    expect([same.status, same.json]).toEqual([200, { ...mine.json, resolved: true }]);
    expect(await audited()).toBe(before);
  });

  test('one of another change request is not there', async () => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    const other = await propose('more', { 'b.txt': '1\n' });
    const { json } = await api.call('POST', comments(number), { body: { body: 'x' } });
    const elsewhere = comments(other.number, `/${String(json['id'])}`);
    expectError(await api.call('PATCH', elsewhere, { body: { resolved: true } }), 404, 'comment_not_found');
    const body = { body: 'y', in_reply_to: json['id'] };
    expectError(await api.call('POST', comments(other.number), { body }), 400, 'invalid_request');
    expectError(await api.call('GET', comments(77)), 404, 'change_request_not_found');
  });

  test('one that meets the deletion of its change request is a conflict, not a failure', async () => {
    const { number } = await propose('gone', { 'a.txt': '1\n' });
    const client = await api.ctx.db.pool.connect();
    await client.query('begin');
    await client.query('delete from change_requests where org_id = $1 and number = $2', [orgId, number]);
    const comment = api.call('POST', at(`/${number}/comments`), { body: { body: 'x' } });
    await expect
      .poll(async () => (await api.ctx.db.pool.query('select 1 from pg_locks where not granted')).rowCount)
      .toBe(1);
    await client.query('commit');
    client.release();
    expectError(await comment, 409, 'conflict');
  });
});

describe('merging', () => {
  test.each([
    ['merge', 2],
    ['squash', 1],
  ])('by %s makes a commit with %d parents on the base branch', async (method, parents) => {
    const { number, head } = await propose('fix', { 'a.txt': 'one\n2\nthree\n' });
    await ada.commit(work, { 'later.txt': 'x\n' });
    await ada.git(work, 'push', '-q', repository.url, 'main');
    const { status, json } = await api.call('POST', at(`/${number}/merge`), { body: { method } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ state: 'merged', mergeable: false, merged_at: expect.stringMatching(/Z$/) });
    await ada.git(work, 'pull', '-q', repository.url, 'main');
    const line = (await ada.git(work, 'log', '-1', '--format=%P|%an|%s')).split('|');
    expect(line[0]?.split(' ')).toHaveLength(parents);
    if (method === 'merge') expect(line[0]).toContain(head);
    expect(line.slice(1)).toEqual(['Administrator', 'Right the answer (#1)']);
    expect(await ada.git(work, 'show', 'HEAD:a.txt')).toBe('one\n2\nthree');
    expect(await ada.git(work, 'show', 'HEAD:later.txt')).toBe('x');
  });

  test('a conflict is 409 merge_conflict with the paths, shows before, and changes nothing', async () => {
    const { number } = await propose('fix', { 'a.txt': 'one\n2\nthree\n' });
    expect((await api.call('GET', at(`/${number}`))).json['mergeable']).toBe(true);
    await ada.commit(work, { 'a.txt': 'one\nzwei\nthree\n' });
    await ada.git(work, 'push', '-q', repository.url, 'main');
    expect((await api.call('GET', at(`/${number}`))).json['mergeable']).toBe(false);
    const answer = await api.call('POST', at(`/${number}/merge`));
    expectError(answer, 409, 'merge_conflict');
    expect(answer.json['details']).toEqual({ paths: ['a.txt'] });
    expect((await api.call('GET', at(`/${number}`))).json['state']).toBe('open');
    // A push that resolves the conflict makes it mergeable again, with its new head and size.
    await ada.git(work, 'checkout', '-q', 'fix');
    await ada.git(work, 'merge', '-q', '-s', 'ours', '-m', 'resolve', 'main');
    await ada.git(work, 'push', '-q', repository.url, 'fix');
    const { json } = await api.call('GET', at(`/${number}`));
    expect(json).toMatchObject({ mergeable: true, head_sha: await ada.git(work, 'rev-parse', 'fix') });
    expect((await api.call('POST', at(`/${number}/merge`))).status).toBe(200);
  });

  test('one of many at once succeeds, and only an open one can be merged or closed', async () => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.call('POST', at(`/${number}/merge`))));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '409', '409', '409']);
    expectError(await api.call('POST', at(`/${number}/close`)), 409, 'change_request_closed');

    const closed = await propose('other', { 'b.txt': '2\n' });
    const close = await api.call('POST', at(`/${closed.number}/close`));
    expect([close.status, close.json['state'], close.json['mergeable']]).toEqual([200, 'closed', false]);
    expectError(await api.call('POST', at(`/${closed.number}/merge`)), 409, 'change_request_closed');
  });

  test('an unknown method is 400, an unknown number 404', async () => {
    const { number } = await propose('fix', { 'a.txt': '1\n' });
    const body = { method: 'rebase' };
    expectError(await api.call('POST', at(`/${number}/merge`), { body }), 400, 'invalid_request');
    for (const action of ['merge', 'close'])
      expectError(await api.call('POST', at(`/77/${action}`)), 404, 'change_request_not_found');
    expectError(await api.call('POST', at('/77/comments'), { body: { body: 'x' } }), 404, 'change_request_not_found');
  });
});

describe('a process that ended between the merge and its record', () => {
  /** Creates what a dead process leaves behind: an expired intent, and with `merged` the moved branch. */
  async function leave(number: number, head: string, { merged }: { merged: boolean }): Promise<void> {
    const { rows } = await api.ctx.db.pool.query<{ id: string; connection_id: string; repo: string }>(
      'select c.id, r.connection_id, r.repo from change_requests c join repositories r on r.id = c.repository_id where r.id = $1 and c.number = $2',
      [repository.id, number],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('There is no such change request.');
    await api.ctx.db.pool.query(
      `insert into change_request_intents (change_request_id, org_id, action, actor_type, actor_id, actor_display, ip,
         user_agent, request_id, owner, held_until, created_at)
       values ($1, $2, 'squash', 'user', $3, 'left', '::1', 'curl', 'req_left', 'left', now() - interval '1 second', now())`,
      [row.id, orgId, userId],
    );
    if (!merged) return;
    const ref = { orgId, connectionId: row.connection_id, id: repository.id, repo: row.repo };
    const author = { name: 'Ada', email: 'ada@example.org' };
    const input = { method: 'squash' as const, headSha: head, message: 'Right it', author };
    await api.ctx.sourceControl.of('local').mergeChangeRequest(ref, number, input);
  }

  const entries = async (number: number) => {
    const { rows } = await api.ctx.db.pool.query<{ request_id: string }>(
      `select a.request_id from audit_entries a join change_requests c on c.id = a.resource_id
       where c.repository_id = $1 and c.number = $2 and a.action = 'change_request.merge'`,
      [repository.id, number],
    );
    return rows;
  };

  const commits = async () => {
    await ada.git(work, 'fetch', '-q', repository.url, 'main');
    return Number(await ada.git(work, 'rev-list', '--count', 'main..FETCH_HEAD'));
  };

  test.each(['a read', 'a list', 'the maintenance task'])(
    'is settled by %s: merged once, with one entry of who asked, who is told when asking again',
    async (who) => {
      const { number, head } = await propose('fix', { 'a.txt': '1\n' });
      await leave(number, head, { merged: true });
      if (who === 'the maintenance task') await settleChangeRequests(api.ctx);
      const { json } = await api.call('GET', who === 'a list' ? at() : at(`/${number}`));
      expect(who === 'a list' ? Object(json['items'])[0] : json).toMatchObject({ number, state: 'merged' });
      expect(await entries(number)).toEqual([{ request_id: 'req_left' }]);
      const body = { method: 'squash' };
      const headers = { 'idempotency-key': `again-${serial}` };
      const again = await api.call('POST', at(`/${number}/merge`), { body, headers });
      expect([again.status, again.json['state']]).toEqual([200, 'merged']);
      const replayed = await api.call('POST', at(`/${number}/merge`), { body, headers });
      expect([replayed.status, replayed.json]).toEqual([200, again.json]);
      expectError(await api.call('POST', at(`/${number}/merge`), { body }), 409, 'change_request_closed');
      expect([await commits(), await entries(number)]).toEqual([1, [{ request_id: 'req_left' }]]);
    },
  );

  test('is settled by the request itself, sent again', async () => {
    const { number, head } = await propose('fix', { 'a.txt': '1\n' });
    await leave(number, head, { merged: true });
    const { status, json } = await api.call('POST', at(`/${number}/merge`), { body: { method: 'squash' } });
    expect([status, json['state'], await commits()]).toEqual([200, 'merged', 1]);
    expect(await entries(number)).toHaveLength(1);
  });

  test('leaves it open when the branch did not move, and anybody may act on it again', async () => {
    const { number, head } = await propose('fix', { 'a.txt': '1\n' });
    await leave(number, head, { merged: false });
    expect((await api.call('GET', at(`/${number}`))).json['state']).toBe('open');
    expect((await api.call('POST', at(`/${number}/close`))).json['state']).toBe('closed');
    expect([await commits(), await entries(number)]).toEqual([0, []]);
  });
});

describe('the session that made it', () => {
  test.each([
    ['merge', 'merged', 'completed'],
    ['close', 'closed', 'completed'],
    ['merge', 'merged', 'running'],
    ['close', 'closed', 'canceled'],
  ] as const)('is told of its %s: the last event says %s, also when it is %s', async (action, state, status) => {
    const session = await sessionIn(api, status);
    const { number } = await propose('fix', { 'a.txt': '1\n' }, { sessionId: session.id });
    expect((await api.call('POST', at(`/${number}/${action}`))).status).toBe(200);
    const log = async () => (await api.call('GET', `${session.path}/events?first=200`)).json;
    await expect.poll(async () => JSON.stringify(await log()), { timeout: 20_000 }).toContain(`"state":"${state}"`);
    const json = await log();
    const repo = `acme/project-${serial}`;
    const url = `${api.url}/console/default/repositories/${repository.id}/change-requests/${number}`;
    expect(Object(json['items']).at(-1)).toMatchObject({
      kind: 'change_request',
      data: { provider: 'local', repo, number, url, state, draft: false },
    });
    // A refused action publishes nothing.
    await api.call('POST', at(`/${number}/${action}`));
    const { rows } = await api.ctx.db.pool.query(
      `select from outbox_pending where type = 'change_request.state_changed'
       union all select from outbox_events where type = 'change_request.state_changed' and data->>'session_id' = $1`,
      [session.id],
    );
    expect([rows.length, (await log())['total']]).toEqual([1, json['total']]);
  });
});

test('reading takes repos:read; comment, merge and close repos:write', async () => {
  const { number } = await propose('fix', { 'a.txt': '1\n' });
  const key = await api.keyWith(['repos:read', 'run']);
  expect((await api.call('GET', at(`/${number}`), { key })).status).toBe(200);
  for (const action of ['comments', 'merge', 'close'])
    expectError(await api.call('POST', at(`/${number}/${action}`), { key }), 403, 'forbidden');
});

test('a host that has lost the repository is 502, whatever is asked of its change requests', async () => {
  const { number } = await propose('lost', { 'a.txt': 'two\n' });
  const { repositories: directory } = api.ctx.config;
  await rename(directory, `${directory}.away`);
  try {
    const answers = await Promise.all([
      api.call('GET', at()),
      api.call('GET', at(`/${number}`)),
      api.call('GET', at(`/${number}/diff`)),
      api.call('POST', at(`/${number}/merge`), { body: {} }),
    ]);
    for (const { status, json } of answers) expect([status, json['error']]).toEqual([502, 'upstream_error']);
  } finally {
    await rename(`${directory}.away`, directory);
  }
});
