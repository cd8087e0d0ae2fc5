import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { createServer, type Server } from 'node:http';
import { script } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { suspendIdle } from '../../../features/sessions/dispatch/rest-service.ts';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { TestSession } from '../../../../test/support/sessions.ts';

const organization = '/v3/organizations/default';
/** A loopback address that is not the sandboxes' own, allowed by the operator; its port is not known yet. */
const host = '127.0.0.2';

let fixture: ModelFixture;
let server: Server;
let place: string;
/** The number of requests for each path, and the paths that still return 503. */
const asked = new Map<string, number>();
const closed = new Set<string>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    response.writeHead(closed.has(path) ? 503 : 200).end('inside\n');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  place = `${host}:${address.port}`;
  fixture = await createModelFixture({ GUILDHALL_EGRESS_ALLOW: `http=${place}`, GUILDHALL_SANDBOX_MAX: 'pids=2048' });
  await fixture.startWorker();
});

afterEach(async () => {
  for (const namespace of ['sandbox', 'source_control'])
    await fixture.api.call('DELETE', `${organization}/settings/${namespace}`);
});

afterAll(async () => {
  await fixture.close();
  server.close();
});

async function set(namespace: string, body: object): Promise<void> {
  const answer = await fixture.api.call('PUT', `${organization}/settings/${namespace}`, { body });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Runs a command in its own session; returns its record and its output. */
async function runs(...steps: object[]): Promise<{ session: TestSession; output: string }> {
  const session = await fixture.run({ agent: { steps, summary: '' } });
  return { session, output: await outputOf(session.id) };
}

async function outputOf(id: string): Promise<string> {
  const events = (await fixture.events(id)).filter(({ kind }) => kind === 'output');
  return events.map(({ data }) => String(data['text'])).join('');
}

async function limitsOf(id: string): Promise<unknown> {
  return Object((await fixture.api.call('GET', `${organization}/sessions/${id}`)).json['sandbox']).limits;
}

describe("a sandbox's limits", () => {
  // `tail` keeps text without a line end: 400 MB.
  const greedy = { run: 'head -c 400M /dev/zero | tail | wc -c' };

  test('memory: a program that takes more is killed, and one within it is not', async () => {
    await set('sandbox', { memory_mb: 160 });
    const small = await runs({ run: `set -o pipefail; ${greedy.run}` });
    expect(small.session).toMatchObject({ status: 'failed', status_detail: 'agent_error' });
    expect(small.output).not.toContain('419430400');
    const ends = (await fixture.events(small.session.id)).filter(({ kind }) => kind === 'command');
    expect(ends.at(-1)?.data['exit_code']).toBe(137);
    expect(await limitsOf(small.session.id)).toMatchObject({ memory_mb: 160 });
    await set('sandbox', { memory_mb: 1_024 });
    const large = await runs(greedy);
    expect(large.output).toContain('419430400');
    expect(large.session.status).toBe('completed');
    expect(await limitsOf(large.session.id)).toMatchObject({ memory_mb: 1_024 });
  });

  test('processes: no more than pids are started', async () => {
    const many = `perl -e 'for (1..200) { my $pid = fork; last unless defined $pid; $pid or sleep 60, exit; push @all, $pid }
      kill 9, @all; print scalar(@all), " started\\n"'`;
    const started = (output: string) => Number(/^(\d+) started$/m.exec(output)?.[1]);
    await set('sandbox', { pids: 48 });
    const few = await runs({ run: many });
    expect(started(few.output)).toBeGreaterThan(5);
    // The sandbox's own needs are added to the limit.
    expect(started(few.output)).toBeLessThan(48 + 24);
    await set('sandbox', {});
    expect(started((await runs({ run: many })).output)).toBe(200);
    expect(await limitsOf(few.session.id)).toMatchObject({ pids: 48 });
  });

  test('disk: no more than disk_mb is written', async () => {
    await set('sandbox', { disk_mb: 64 });
    const full = await runs({ run: 'head -c 200M /dev/zero > big', allow_failure: true }, { run: 'du -m big' });
    const written = Number(/^(\d+)\tbig$/m.exec(full.output)?.[1]);
    expect(written).toBeLessThanOrEqual(64);
    expect(await limitsOf(full.session.id)).toMatchObject({ disk_mb: 64 });
  });

  test('the least of everything is enough for a session that does little', async () => {
    await set('sandbox', { cpu: 0.1, memory_mb: 64, disk_mb: 64, pids: 32 });
    const repository = await fixture.repository({ answer: '41\n', 'check.sh': 'grep -q 42 answer' });
    const steps = [{ run: 'echo 42 > answer' }];
    const session = await fixture.run({ repository, agent: { steps, summary: '' }, verify_command: 'sh check.sh' });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect(await limitsOf(session.id)).toEqual({ cpu: 0.1, memory_mb: 64, disk_mb: 64, pids: 32 });
  });

  const warningsOf = async (id: string): Promise<string[]> =>
    (await fixture.events(id)).flatMap(({ kind, data }) =>
      kind === 'warning' && data['code'] === 'sandbox_limits_cut' ? [String(data['message'])] : [],
    );

  test('the record shows the limits in force: at most those of the machine, and half of its memory', async () => {
    const memory_mb = Math.floor(Math.floor(totalmem() / 2 ** 20) / 2);
    const { bavail, bsize } = await statfs(fixture.api.ctx.config.data);
    await set('sandbox', { cpu: 256, memory_mb: 4_194_304, disk_mb: 67_108_864 });
    const { session } = await runs({ run: 'true' });
    const limits = Object(await limitsOf(session.id));
    expect(limits).toMatchObject({ cpu: availableParallelism(), memory_mb, pids: 1_024 });
    expect(limits.disk_mb).toBeLessThan((bavail * bsize) / 2 ** 20);
    const [said] = await warningsOf(session.id);
    for (const words of [`memory_mb is ${memory_mb} instead of 4194304`, 'disk_mb', 'cpu'])
      expect(said).toContain(words);
  });

  test("what was put before the operator's maximum is cut to it, and the log says so", async () => {
    const { id } = (await fixture.api.call('GET', organization)).json;
    await fixture.api.ctx.db.pool.query(
      `insert into settings (org_id, namespace, value) values ($1, 'sandbox', '{"pids": 5000}')
        on conflict (org_id, namespace) do update set value = excluded.value`,
      [id],
    );
    const { session } = await runs({ run: 'true' });
    expect(await limitsOf(session.id)).toMatchObject({ pids: 2_048 });
    const [said, ...more] = await warningsOf(session.id);
    expect([said, more]).toEqual([expect.stringContaining('pids is 2048 instead of 5000'), []]);
    await set('sandbox', { pids: 2_048 });
    expect(await warningsOf((await runs({ run: 'true' })).session.id)).toEqual([]);
  });
});

describe("a sandbox's network", () => {
  const get = (path: string) => `curl -sS --max-time 20 -w '%{http_code}\\n' http://${place}${path}`;

  test('none reaches nothing', async () => {
    const { output } = await runs({ run: get('/none'), allow_failure: true });
    expect(output).toContain('this sandbox has no network');
    expect(asked.get('/none')).toBe(undefined);
  });

  test('an allowlist opens its hosts alone, on the port it names', async () => {
    await set('sandbox', { network: 'allowlist', allowed_hosts: ['example.com', host] });
    const other = await runs({ run: get('/other-port'), allow_failure: true });
    expect(other.output).toContain("not one of the organization's allowed hosts");
    await set('sandbox', { network: 'allowlist', allowed_hosts: ['example.com', place] });
    expect((await runs({ run: get('/allowed') })).output).toContain('inside\n200\n');
    expect([asked.get('/other-port'), asked.get('/allowed')]).toEqual([undefined, 1]);
  });

  test('neither an allowlist nor an open network leads to a private address that the operator did not open', async () => {
    const other = '127.0.0.3:80';
    for (const settings of [{ network: 'allowlist', allowed_hosts: [other, place] }, { network: 'open' }]) {
      await set('sandbox', settings);
      const command = `curl -sS --max-time 20 http://${other}/`;
      const { output } = await runs({ run: command, allow_failure: true }, { run: get('/open') });
      expect(output).toContain('its address is not public (loopback)');
      expect(output).toContain('inside\n200\n');
    }
  });

  test('a turn keeps the network it began with; the next one has that of its beginning', async () => {
    await set('sandbox', { network: 'allowlist', allowed_hosts: [place] });
    closed.add('/gate');
    const wait = `for i in $(seq 200); do curl -sSf -o /dev/null http://${place}/gate && break; sleep 0.1; done`;
    const prompt = script([{ run: `${wait}; ${get('/first')}` }, { say: 'One.' }]);
    const { id } = await fixture.create({ prompt });
    await fixture.until(async () => asked.get('/gate'), 'the session asks');
    await set('sandbox', { network: 'none' });
    closed.delete('/gate');
    await fixture.reaches(id, 'completed', 'failed');
    expect(asked.get('/first')).toBe(1);
    const content = script([{ run: get('/second') }, { say: 'Two.' }]);
    await fixture.api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content } });
    await fixture.event(
      id,
      ({ turn, kind, data }) => turn === 2 && kind === 'status' && data['status'] === 'completed',
    );
    expect(asked.get('/second')).toBe(undefined);
    expect(await outputOf(id)).toContain('this sandbox has no network');
    const { attempt_no } = await fixture.get(id);
    expect(attempt_no).toBe(1);
  });
});

test('a session that its worker keeps is suspended when nobody talks to it, and a message resumes it', async () => {
  const { id } = await fixture.create({ prompt: script([{ ask: 'Which?' }, { say: 'Fine.' }]) });
  await fixture.reaches(id, 'waiting');
  const inAnHour = { now: () => new Date(Date.now() + 61 * 60_000) };
  expect(await suspendIdle({ ...fixture.api.ctx, clock: inAnHour })).toBe(1);
  expect(await fixture.get(id)).toMatchObject({ status: 'suspended', status_detail: 'inactivity' });
  await fixture.api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content: 'That one.' } });
  const session = await fixture.reaches(id, 'completed', 'failed');
  expect(session).toMatchObject({ status: 'completed', attempt_no: 2 });
});

describe('source control', () => {
  const fix = { steps: [{ run: 'echo 42 > answer; git config user.name' }], summary: 'It is 42.' };

  test('branch, author, draft, labels and reviewers are those of the organization', async () => {
    await set('source_control', {
      branch_prefix: 'agents/',
      commit_author: { name: "Ada O'Brien $(id)", email: 'ada@example.org' },
      draft_by_default: true,
      labels: ['agent'],
      reviewers: ['grace'],
    });
    const repository = await fixture.repository({ answer: '41\n' });
    const session = await fixture.run({ repository, agent: fix, title: 'Set it' });
    expect(session).toMatchObject({ status: 'completed', change_requests: [{ draft: true }] });
    const branch = session.repositories[0]?.branch ?? '';
    expect(branch).toMatch(/^agents\/set-it-\w{6}$/);
    const [request] = await fixture.changeRequests(repository);
    expect(request).toMatchObject({ head_ref: branch, draft: true });
    expect(request?.body).toContain('Labels: `agent`\n\nReviewers: `grace`');
    const clone = await fixture.clone(repository, branch);
    const who = "Ada O'Brien $(id) <ada@example.org>";
    expect(await fixture.git(clone, 'log', '-1', '--format=%an <%ae> %cn <%ce>')).toBe(`${who} ${who}`);
    expect(await outputOf(session.id)).toContain("Ada O'Brien $(id)\n");
  });

  test('a draft is also what a person opens for the branch of a session, unless told', async () => {
    await set('source_control', { draft_by_default: true });
    const repository = await fixture.repository({ answer: '41\n' });
    const { id } = await fixture.run({ repository, agent: fix, deliver: 'branch' });
    const path = `${organization}/sessions/${id}/change-requests`;
    expect((await fixture.api.call('POST', path, { body: {} })).json).toMatchObject({ draft: true, state: 'open' });
  });

  test('without a prefix the branch has its name alone', async () => {
    await set('source_control', { branch_prefix: '' });
    const repository = await fixture.repository({ answer: '41\n' });
    const session = await fixture.run({ repository, agent: fix, title: 'Set it' });
    expect(session.repositories[0]?.branch).toMatch(/^set-it-\w{6}$/);
    expect(session).toMatchObject({ status: 'completed', change_requests: [{ draft: false, state: 'open' }] });
  });
});
