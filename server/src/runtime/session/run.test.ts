import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestSession } from '../../../test/support/sessions.ts';

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
});

beforeEach(() => fixture.worker());
afterAll(async () => {
  await fixture.close();
});

const broken = { 'check.sh': 'echo "the answer is $(cat answer)"\ntest "$(cat answer)" = 42\n', answer: '41\n' };
const fix = { steps: [{ run: 'echo 42 > answer; echo done' }], summary: 'The answer is 42 now.' };
const verify_command = 'sh check.sh';

function phasesOf(session: TestSession): string[] {
  return session.phases.map(({ name, status }) => `${name} ${status}`);
}

describe('the outcome of a session', () => {
  test('is fixed when the check fails before and passes after, with the evidence of both runs', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, verify_command, title: 'Set the answer' });
    expect(session).toMatchObject({
      status: 'completed',
      status_detail: 'finished',
      verification: 'fixed',
      error: null,
    });
    expect(phasesOf(session)).toEqual(['reproduce passed', 'implement passed', 'verify passed', 'deliver passed']);
    const [before, after] = [session.phases[0]?.evidence[0], session.phases[2]?.evidence[0]];
    expect(before).toMatchObject({ command: verify_command, exit_code: 1, output_tail: 'the answer is 41\n' });
    expect(after).toMatchObject({ command: verify_command, exit_code: 0, output_tail: 'the answer is 42\n' });
    const path = `/v3/organizations/default/sessions/${session.id}/artifacts/${after?.artifact_id}`;
    expect((await fixture.api.call('GET', path)).text).toContain('the answer is 42');

    const [request, ...others] = await fixture.changeRequests(repository);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      title: 'Set the answer',
      state: 'open',
      draft: false,
      head_ref: session.repositories[0]?.branch,
      base_ref: 'main',
      changed_files: 1,
      evidence: [{ exit_code: 1 }, { exit_code: 0 }],
    });
    expect(request?.body).toContain('**Verified: fixed.**');
    expect(request?.body).toContain('The answer is 42 now.');
    const clone = await fixture.clone(repository, request?.head_ref ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('42\n');
    expect(await fixture.git(clone, 'log', '-1', '--format=%H %an <%ae>%n%B')).toBe(
      `${request?.head_sha} Guildhall <guildhall@localhost>\nSet the answer\n\nGuildhall-Session: ${session.id}\n`,
    );
  });

  test('is not_reproduced when the check passes on the base commit already', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, verify_command: 'true' });
    expect(session).toMatchObject({ status: 'completed', verification: 'not_reproduced' });
    const [request] = await fixture.changeRequests(repository);
    expect(request?.body).toContain('**Not verified: the problem was not reproduced.**');
  });

  test('is no_check when nothing names a check', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, deliver: 'draft' });
    expect(session).toMatchObject({ status: 'completed', verification: 'no_check' });
    expect(phasesOf(session)).toEqual(['reproduce skipped', 'implement passed', 'verify skipped', 'deliver passed']);
    const [request] = await fixture.changeRequests(repository);
    expect(request).toMatchObject({ draft: true, evidence: [] });
  });

  test('is failed when the check fails on the new commit: the branch is pushed, no change request is opened', async () => {
    const repository = await fixture.repository(broken);
    const agent = { steps: [{ run: 'echo 43 > answer' }], summary: '' };
    const session = await fixture.run({ repository, agent, verify_command });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'verify_failed', verification: 'failed' });
    expect(session.error?.code).toBe('verify_failed');
    expect(phasesOf(session)).toEqual(['reproduce passed', 'implement passed', 'verify failed', 'deliver passed']);
    expect(await fixture.changeRequests(repository)).toEqual([]);
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('43\n');
  });

  test('is failed after a later turn broke it: the open change request says so, until it is mended', async () => {
    const repository = await fixture.repository(broken);
    const run = 'echo x >> turns; case $(wc -l < turns) in 2) echo 43 > answer ;; *) echo 42 > answer ;; esac';
    const session = await fixture.run({ repository, agent: { steps: [{ run }], summary: '' }, verify_command });
    const takeTurn = async () => {
      const last_seq = (await fixture.events(session.id)).at(-1)?.seq ?? 0;
      await fixture.api.call('POST', `/v3/organizations/default/sessions/${session.id}/messages`, {
        body: { content: 'Go on.' },
      });
      await fixture.event(
        session.id,
        ({ seq, kind, data }) =>
          seq > last_seq && kind === 'phase' && data['name'] === 'deliver' && data['status'] === 'passed',
      );
      const [request] = await fixture.changeRequests(repository);
      return { ended: await fixture.reaches(session.id, 'failed', 'completed'), request };
    };
    const second = await takeTurn();
    expect(second.ended).toMatchObject({ status: 'failed', verification: 'failed' });
    expect(second.request).toMatchObject({ number: 1, state: 'open' });
    expect(second.request?.body).toContain('**Verification failed.**');
    expect(second.request?.body).not.toContain('**Verified: fixed.**');
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('43\n');
    const third = await takeTurn();
    expect(third.request?.body).toContain('**Verified: fixed.**');
    expect(await fixture.changeRequests(repository)).toHaveLength(1);
  });

  test('is open when nothing was changed, and nothing is delivered', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: { steps: [{ run: 'true' }], summary: '' }, verify_command });
    expect(session).toMatchObject({
      status: 'completed',
      status_detail: 'finished',
      verification: '',
      change_requests: [],
    });
    expect(phasesOf(session)).toEqual(['reproduce passed', 'implement passed', 'verify skipped', 'deliver skipped']);
    expect(await fixture.git('/', 'ls-remote', '--heads', repository.cloneUrl)).toMatch(/^\S+\trefs\/heads\/main$/);
  });
});

describe('the check', () => {
  test("of the agent brings its new files to both clean rooms, and comes before the repository's own", async () => {
    const repository = await fixture.repository({ answer: '41\n' }, { verify_command: 'false' });
    const check = {
      command: 'sh tests/new.sh',
      files: [{ path: 'tests/new.sh', content: 'test "$(cat answer)" = 42\n' }],
    };
    const session = await fixture.run({ repository, agent: { ...fix, check } });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    const [request] = await fixture.changeRequests(repository);
    expect(request?.changed_files).toBe(2);
    expect(request?.body).toContain('`tests/new.sh`');
  });

  test('is detected from the files of the project', async () => {
    const repository = await fixture.repository({ ...broken, Makefile: 'test:\n\tsh check.sh\n' });
    const session = await fixture.run({ repository, agent: fix });
    expect(session).toMatchObject({ verification: 'fixed' });
    expect(session.phases[0]?.evidence[0]?.command).toBe('make test');
  });

  test('runs at exactly the delivered commit, without ignored files and files outside the work tree', async () => {
    const repository = await fixture.repository({ ...broken, '.gitignore': 'ignored\n' });
    const agent = { steps: [{ run: 'echo 42 > answer; touch ignored ~/outside /tmp/outside' }], summary: '' };
    const command =
      'sh check.sh && test ! -e ignored && test ! -e ~/outside && test ! -e /tmp/outside && git diff --quiet HEAD && git log -1 --format=%H';
    const session = await fixture.run({ repository, agent, verify_command: command });
    expect(session.verification).toBe('fixed');
    const [request] = await fixture.changeRequests(repository);
    expect(session.phases[2]?.evidence[0]?.output_tail).toContain(request?.head_sha);
  });
});

describe('a session that cannot work', () => {
  test('ends clone_failed when its ref does not exist', async () => {
    const { repo } = await fixture.repository(broken);
    const session = await fixture.run({ repositories: [{ repo, ref: 'nowhere' }], agent: fix });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'clone_failed', error: { code: 'clone_failed' } });
    expect(session.error?.message).toContain('"nowhere"');
  });

  test('ends clone_failed when its repository was deleted meanwhile', async () => {
    const { id, repo } = await fixture.repository(broken);
    const worker = await fixture.pauseWorkers();
    const session = await fixture.create({ repositories: [{ repo }], agent: fix });
    await fixture.api.call('DELETE', `/v3/organizations/default/repositories/${id}`);
    await worker.resume();
    const ended = await fixture.reaches(session.id, 'failed');
    expect(ended).toMatchObject({
      status_detail: 'clone_failed',
      error: { message: `The repository ${repo} was deleted.` },
    });
  });

  test('whose repository is deleted while it works ends, and delivers once the repository is restored', async () => {
    const repository = await fixture.repository(broken);
    const path = `/v3/organizations/default/repositories/${repository.id}`;
    const untilGone = 'while git ls-remote origin > /dev/null 2>&1; do sleep 0.1; done';
    const agent = { steps: [{ run: `${untilGone}; echo 42 > answer` }], summary: '' };
    const { id } = await fixture.create({ repositories: [{ repo: repository.repo }], agent, verify_command });
    await fixture.event(id, ({ kind, phase }) => kind === 'command' && phase === 'implement');
    expect((await fixture.api.call('DELETE', `${path}?force=true`)).status).toBe(204);
    const ended = await fixture.reaches(id, 'failed');
    expect(ended).toMatchObject({ status_detail: 'agent_error', error: { code: 'push_failed' }, change_requests: [] });
    await fixture.api.call('POST', `${path}/restore`, { body: {} });
    const resumed = await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/resume`);
    expect(resumed.status).toBe(200);
    expect(await fixture.reaches(id, 'completed')).toMatchObject({ verification: 'fixed' });
    expect(await fixture.changeRequests(repository)).toMatchObject([{ state: 'open', changed_files: 1 }]);
  });

  test('ends agent_error when a step of its script fails', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: { steps: [{ run: 'exit 3' }], summary: '' } });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error', error: { code: 'agent_error' } });
    expect(phasesOf(session)).toContain('implement failed');
  });

  test('ends model_error with what to do when its runtime cannot run here', async () => {
    const created = await fixture.api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'Hello' } });
    const session = await fixture.reaches(String(created.json['id']), 'failed');
    expect(session).toMatchObject({ status_detail: 'model_error', error: { code: 'model_error' } });
    expect(session.error?.message).toContain(
      'No model provider is configured. Start Guildhall with one of the variables ANTHROPIC_API_KEY',
    );
  });

  test('ends sandbox_lost when six workers in a row were lost with it', async () => {
    const repository = await fixture.repository(broken);
    const worker = await fixture.pauseWorkers();
    const { id } = await fixture.create({ repository, agent: fix });
    await fixture.api.ctx.db.pool.query('update sessions set losses = 6 where id = $1', [id]);
    await worker.resume();
    expect(await fixture.reaches(id, 'failed')).toMatchObject({ status_detail: 'sandbox_lost' });
  });
});

describe('the setup', () => {
  const ignore = { '.gitignore': 'deps\n', 'package-lock.json': '{}\n' };

  test('runs once for the same dependencies, and every sandbox starts from what it left', async () => {
    const setup_command = 'mkdir deps && date +%s%N > deps/stamp && echo left > untracked';
    const repository = await fixture.repository({ ...broken, ...ignore }, { setup_command });
    const agent = { steps: [{ run: 'cat deps/stamp; echo 42 > answer' }], summary: '' };
    const command = 'cat deps/stamp && sh check.sh';
    const first = await fixture.run({ repository, agent, verify_command: command });
    const second = await fixture.run({ repository, agent, verify_command: command });
    const tails = [first, second].flatMap(({ phases }) =>
      phases.flatMap(({ evidence }) => evidence.map(({ output_tail }) => output_tail)),
    );
    const stamps = tails.map((tail) => tail.split('\n')[0]);
    expect(stamps).toHaveLength(4);
    expect(stamps[0]).toMatch(/^\d+$/);
    expect(new Set(stamps).size).toBe(1);
    // Files that the setup left are not changes of the session.
    expect((await fixture.changeRequests(repository)).map(({ changed_files }) => changed_files)).toEqual([1, 1]);
    const setups = (await fixture.events(second.id)).filter(
      ({ kind, data }) => kind === 'command' && data['command'] === setup_command,
    );
    expect(setups).toEqual([]);
  });

  test('of a branch leaves nothing for sessions on the default one, which anybody may begin', async () => {
    const setup_command = 'sh setup.sh';
    const setUpBy = (who: string) => ({ 'setup.sh': `mkdir deps && echo ${who} > deps/by\n` });
    const repository = await fixture.repository({ ...broken, ...ignore, ...setUpBy('main') }, { setup_command });
    const clone = await fixture.clone(repository, 'main');
    await writeFile(join(clone, 'setup.sh'), setUpBy('somebody')['setup.sh']);
    await fixture.git(clone, 'commit', '-q', '-a', '-m', 'Another setup');
    await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/theirs');
    const agent = { steps: [{ run: 'cat deps/by; echo 42 > answer' }], summary: '' };
    const printed = async (repositories: object[]): Promise<string> => {
      const session = await fixture.run({ repositories, agent });
      const events = await fixture.events(session.id);
      return events.flatMap(({ kind, data }) => (kind === 'output' ? [String(data['text'])] : [])).join('');
    };
    expect(await printed([{ repo: repository.repo, ref: 'theirs' }])).toContain('somebody\n');
    expect(await printed([{ repo: repository.repo }])).toContain('main\n');
    expect(await printed([{ repo: repository.repo, ref: 'theirs' }])).toContain('somebody\n');
  });

  test('that fails ends the session with its output', async () => {
    const repository = await fixture.repository(broken, { setup_command: 'echo no such package >&2; exit 9' });
    const session = await fixture.run({ repository, agent: fix });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error', error: { code: 'setup_failed' } });
    const warning = (await fixture.events(session.id)).find(({ kind }) => kind === 'warning');
    expect(warning?.data).toEqual({ code: 'setup_failed', message: 'no such package\n' });
  });

  test('that needs more memory than there is says so', async () => {
    const settings = '/v3/organizations/default/settings/sandbox';
    expect((await fixture.api.call('PUT', settings, { body: { memory_mb: 128 } })).status).toBe(200);
    const setup_command = `/usr/bin/python3 -c 'x = bytearray(10 ** 9)'`;
    const repository = await fixture.repository(broken, { setup_command });
    const session = await fixture.run({ repository, agent: fix });
    await fixture.api.call('DELETE', settings);
    expect(session.error?.message).toBe(
      `The setup command \`${setup_command}\` ran out of memory. See its output in the artifact setup.log.`,
    );
  });
});

describe('what is delivered', () => {
  test('is only the branch when the session says so', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, deliver: 'branch', verify_command });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', change_requests: [] });
    await fixture.clone(repository, session.repositories[0]?.branch ?? '');
  });

  test('is a new change request when a turn follows the end of the last one, whose branch is gone', async () => {
    const repository = await fixture.repository(broken);
    const steps = [{ run: 'echo 42 > answer; echo more >> notes' }];
    const { id, repositories } = await fixture.run({ repository, agent: { steps, summary: '' } });
    const branch = repositories[0]?.branch ?? '';
    const organization = '/v3/organizations/default';
    await fixture.api.call('POST', `${organization}/repositories/${repository.id}/change-requests/1/close`);
    const work = await fixture.clone(repository, branch);
    await fixture.git(work, 'push', '-q', 'origin', `:${branch}`);
    await fixture.api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content: 'Once more.' } });
    await fixture.event(id, ({ turn, kind, data }) => turn === 2 && kind === 'status' && data['status'] !== 'running');
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      change_requests: [
        { number: 1, state: 'closed' },
        { number: 2, state: 'open' },
      ],
    });
  });

  test('describes a change request that a user opens or updates without a description', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, deliver: 'branch', verify_command });
    const open = async (body: object): Promise<unknown> => {
      const path = `/v3/organizations/default/sessions/${session.id}/change-requests`;
      return (await fixture.api.call('POST', path, { body })).json['body'];
    };
    const written = await open({});
    for (const part of ['The answer is 42 now.', '## Task', '**Verified: fixed.**', '| Before | failed | 1 |'])
      expect(written).toContain(part);
    expect(await open({ title: 'Mine' })).toBe(written);
    expect(await open({ body: 'My own words.' })).toBe('My own words.');
    expect(await open({ draft: true })).toBe(written);
    expect(await open({ body: '' })).toBe('');
    // Lists read this column for each session that they show.
    const { rows } = await fixture.api.ctx.db.pool.query('select repositories from sessions where id = $1', [
      session.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain('The answer is 42 now.');
  });

  test('is nothing without a repository, and the work is in the diff', async () => {
    const session = await fixture.run({
      repositories: [],
      agent: { steps: [{ run: 'mkdir a; echo new > a/file' }], summary: '' },
    });
    expect(session).toMatchObject({ status: 'completed', verification: 'no_check' });
    expect(phasesOf(session)).toContain('deliver skipped');
    const diff = await fixture.api.call('GET', `/v3/organizations/default/sessions/${session.id}/diff`);
    expect(diff.json).toMatchObject({ additions: 1, files: [{ path: 'a/file', status: 'added' }] });
  });

  test('goes to each repository that was changed', async () => {
    const repositories = [
      await fixture.repository(broken),
      await fixture.repository(broken),
      await fixture.repository(broken),
    ];
    const names = repositories.map(({ repo }) => repo.slice(repo.lastIndexOf('/') + 1));
    const steps = [{ run: `echo 42 > ${names[0]}/answer; echo 42 > ${names[2]}/answer` }];
    const session = await fixture.run({
      repositories: repositories.map(({ repo }) => ({ repo })),
      agent: { steps, summary: '' },
      verify_command: `cat ${names[0]}/answer ${names[1]}/answer ${names[2]}/answer; cd ${names[2]} && sh check.sh`,
    });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect(session.phases[2]?.evidence[0]?.output_tail).toBe('42\n41\n42\nthe answer is 42\n');
    const requests = await Promise.all(repositories.map((repository) => fixture.changeRequests(repository)));
    expect(requests.map(({ length }) => length)).toEqual([1, 0, 1]);
  });
});

describe('the log', () => {
  test('holds at most 256 KiB of a command, says so once, and keeps the rest as an artifact', async () => {
    const repository = await fixture.repository(broken);
    const run = 'head -c 1000000 /dev/zero | tr "\\0" x; printf "\\0\\377"; echo 42 > answer';
    const session = await fixture.run({ repository, agent: { steps: [{ run }], summary: '' } });
    const events = await fixture.events(session.id);
    const texts = events.filter(({ kind }) => kind === 'output').map(({ data }) => String(data['text']));
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(16 * 1024);
    expect(texts.join('').length).toBe(256 * 1024);
    expect(events.filter(({ kind, data }) => kind === 'warning' && data['code'] === 'output_truncated')).toHaveLength(
      1,
    );
    const artifact = events.find(({ kind, data }) => kind === 'artifact' && data['name'] === 'command-1-1.log');
    expect(Number(artifact?.data['size_bytes'])).toBeGreaterThan(1_000_000);
    const end = events.findLast(({ kind, data }) => kind === 'command' && data['command'] === run);
    expect(end?.data).toMatchObject({ exit_code: 0, call_id: '', artifact_id: artifact?.data['artifact_id'] });
  });

  test('tells of the files that a step changes, of 200 one by one, and of all of them how many there are', async () => {
    const repository = await fixture.repository(broken);
    const run = 'echo 42 > answer; mkdir many; for n in $(seq 250); do echo $n > many/$n; done';
    const session = await fixture.run({ repository, agent: { steps: [{ run }], summary: '' } });
    const events = await fixture.events(session.id);
    const told = events.filter(({ kind }) => kind === 'file_change').map(({ data }) => data);
    expect(told).toHaveLength(200);
    expect(told[0]).toEqual({ path: 'answer', change: 'modified', additions: 1, deletions: 1, call_id: '' });
    const warning = events.find(({ kind, data }) => kind === 'warning' && data['code'] === 'file_changes_cut');
    expect(warning?.data['message']).toContain('251 files; 51 of them');
  });

  test('numbers events without a gap and ends with the status', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, verify_command });
    const events = await fixture.events(session.id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ kind: 'status', data: { status: 'completed', sandbox_state: 'none' } });
    const statuses = events
      .filter(({ kind }) => kind === 'status')
      .map(({ data }) => `${String(data['status'])} ${String(data['status_detail'])}`);
    expect(statuses).toEqual([
      'queued ',
      'provisioning ',
      'running working',
      'running verifying',
      'running delivering',
      'completed finished',
    ]);
  });
});

test('sessions on one repository run side by side, each on its own branch', async () => {
  const repository = await fixture.repository(broken);
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => fixture.run({ repository, agent: fix, verify_command })),
  );
  expect(sessions.map(({ status, verification }) => `${status} ${verification}`)).toEqual(
    sessions.map(() => 'completed fixed'),
  );
  const requests = await fixture.changeRequests(repository);
  expect(new Set(requests.map(({ head_ref }) => head_ref)).size).toBe(5);
});
