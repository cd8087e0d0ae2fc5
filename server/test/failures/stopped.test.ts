import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claim } from '../../src/features/sessions/run/run-service.ts';
import {
  lockTable,
  printedBy,
  startProxy,
  startWorkerProcess,
  told,
  type HttpProxy,
  type WorkerProcess,
} from '../support/failures.ts';
import {
  createRuntimeFixture,
  type RuntimeFixture,
  type TestRepository,
  type TestSession,
} from '../support/sessions.ts';

/** The activity of a worker when it is stopped for longer than its lease. */
const doings = ['works', 'calls a model', 'pushes', 'opens a change request'] as const;
type Doing = (typeof doings)[number];

interface Contested {
  repository: TestRepository;
  id: string;
  session: TestSession;
}

let fixture: RuntimeFixture;
let host: HttpProxy;
let model: ScriptedModel;
/** Between the first worker and the model. */
let slow: HttpProxy;
let first: WorkerProcess;
let second: WorkerProcess;
let stoppedAt = 0;
/** The host's response to the push that the stopped worker had started. */
let answered = '';
const contested = new Map<Doing, Contested>();

const gate = 'echo waits; until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do sleep 1; done';
const grep = 'grep -q 42 answer';
const fix = 'echo 42 >> answer';
const check = `grep -q 42 answer && { ${gate}; }; grep -q 42 answer`;
const patient = `if [ -e begun ]; then echo again; echo 42 >> answer; exit; fi
echo one >> answer; touch begun; for i in $(seq 1 300); do echo "old $i"; echo $i >> old; sleep 0.2; done`;

const prompt = script([{ run: 'echo one >> answer; echo first step' }, { run: fix }, { say: 'It is 42 now.' }]);

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  const { api } = fixture;
  host = await startProxy(api.url);
  model = await startScriptedModel();
  slow = await startProxy(model.url);
  const environment = (modelUrl: string) => ({
    GUILDHALL_SLOTS: '4',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  });
  first = await startWorkerProcess(api, host.url, environment(slow.url));
  const working = await begin('works', agentOf(patient), grep);
  // Its push may precede everything else that starts here.
  const pushed = await fixture.repository({ answer: '41\n' });
  const held = host.hold(new RegExp(`^POST /git-run/${pushed.repo}\\.git/git-receive-pack`), 'request');
  await begin('pushes', { ...agentOf(fix), repository: pushed }, grep);
  const opening = await begin('opens a change request', agentOf(fix), check);
  const answers = [slow.hold(/^POST/, 'answer'), slow.hold(/^POST/, 'answer')];
  await begin('calls a model', { prompt }, grep);
  await (await answers[0])?.release();
  const [push, answer] = await Promise.all([
    held,
    answers[1],
    fixture.event(working.id, ({ kind }) => kind === 'checkpoint'),
    fixture.event(opening.id, ({ phase, data }) => phase === 'verify' && String(data['text']).includes('waits')),
  ]);
  const lock = await lockTable(api.connectionString, 'change_requests');
  const clone = await fixture.clone(opening.repository, 'main');
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
  await fixture.event(opening.id, ({ kind }) => kind === 'branch_pushed');
  second = await startWorkerProcess(api, api.url, environment(model.url));
  first.process.kill('SIGSTOP');
  stoppedAt = Date.now();
  // Its transaction continues until the database waits for the stopped client.
  await lock.release();
  for (const one of contested.values()) {
    await fixture.event(one.id, ({ attempt_no }) => attempt_no === 2);
  }
  first.process.kill('SIGCONT');
  answered = await push.release();
  await answer?.release();
  for (const one of contested.values()) one.session = await fixture.reaches(one.id, 'completed', 'failed');
  await fixture.until(async () => ((await busy()) === 0 ? true : undefined), 'both workers are free');
});

afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await fixture.close();
  await Promise.all([host.close(), slow.close(), model.close()]);
});

function agentOf(run: string) {
  return { agent: { steps: [{ run }], summary: '' } };
}

/** Returns the number of model calls for this step of its script. */
function modelCalls(index: number): number {
  return model.requests.filter(({ step }) => step?.index === index).length;
}

async function begin(
  doing: Doing,
  work: { repository?: TestRepository; [field: string]: unknown },
  verify_command: string,
): Promise<Contested> {
  const repository = work.repository ?? (await fixture.repository({ answer: '41\n' }));
  const session = await fixture.create({ ...work, repository, verify_command });
  const one = { repository, id: session.id, session };
  contested.set(doing, one);
  return one;
}

async function busy(): Promise<number> {
  const { rows } = await fixture.api.ctx.db.pool.query<{ busy: number }>('select sum(busy)::int as busy from workers');
  return rows[0]?.busy ?? 0;
}

function of(doing: Doing): Contested {
  const one = contested.get(doing);
  if (one === undefined) throw new Error(`no worker was stopped while it ${doing}`);
  return one;
}

describe.each(doings)('a worker stopped while it %s', (doing) => {
  test('is replaced within 15 s, and the session ends as if it had never come back', async () => {
    const { session, id } = of(doing);
    const events = await fixture.events(id);
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', verification: 'fixed' });
    expect(session).toMatchObject({ attempt_no: 2, error: null });
    const again = events.find(({ attempt_no }) => attempt_no === 2);
    expect(Date.parse(again?.created_at ?? '') - stoppedAt).toBeLessThan(15_000);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test('leads to one change request, with the work of the session alone', async () => {
    const { repository, session, id } = of(doing);
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    expect((await fixture.events(id)).filter(({ kind }) => kind === 'change_request')).toHaveLength(1);
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await fixture.git(clone, 'rev-list', '--count', 'HEAD', '^origin/main')).toBe('1');
    expect(await fixture.git(clone, 'rev-parse', 'HEAD')).toBe(requests[0]?.head_sha);
    const isTwoSteps = doing === 'works' || doing === 'calls a model';
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe(isTwoSteps ? '41\none\n42\n' : '41\n42\n');
  });
});

test('what a worker that came back still says of its work is not in the log', async () => {
  const events = await fixture.events(of('works').id);
  const from = events.findIndex(({ attempt_no }) => attempt_no === 2);
  expect(printedBy(events.slice(0, from))).toContain('old 1');
  expect(printedBy(events.slice(from))).toBe('again\n');
});

test('a worker that came back makes nothing of the answer it had waited for, and asks its model no more', async () => {
  const events = await fixture.events(of('calls a model').id);
  expect(printedBy(events).match(/first step/g)).toHaveLength(1);
  expect(events.filter(({ kind }) => kind === 'tool_result')).toHaveLength(2);
  expect([0, 1, 2].map(modelCalls)).toEqual([1, 2, 1]);
});

test('a push that a worker began before it was stopped is refused when it arrives', () => {
  expect(answered).toContain('another worker took over the session');
});

describe('a session that many workers in a row were lost with', () => {
  const agent = { steps: [{ run: 'echo 42 > answer' }], summary: '' };

  async function endLease(id: string, secondsAgo: number): Promise<void> {
    const statement = 'update sessions set lease_until = now() - make_interval(secs => $2) where id = $1';
    await fixture.api.ctx.db.pool.query(statement, [id, secondsAgo]);
  }

  /** Claims the session for a worker that is never heard of again, once its previous lease has been over for so long. */
  async function loseWorker(id: string, afterSeconds: number): Promise<void> {
    await endLease(id, afterSeconds - 1);
    if (afterSeconds > 1) expect(await claim(fixture.api.ctx, id, 'lost')).toBeUndefined();
    await endLease(id, afterSeconds);
    expect(await claim(fixture.api.ctx, id, 'lost')).toBeDefined();
  }

  test('waits longer for each next one, goes on after five, and ends after six, and says so', async () => {
    await Promise.all([first.close(), second.close()]);
    const repository = await fixture.repository({ answer: '41\n' });
    const [five, six] = [await fixture.create({ repository, agent }), await fixture.create({ repository, agent })];
    for (const id of [five.id, six.id]) {
      expect(await claim(fixture.api.ctx, id, 'lost')).toBeDefined();
      for (const seconds of [1, 1, 10.1, 20.1]) await loseWorker(id, seconds);
    }
    await loseWorker(six.id, 40.1);
    await endLease(five.id, 41);
    await endLease(six.id, 81);
    await fixture.startWorker();
    expect(await fixture.reaches(five.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempt_no: 6,
    });
    expect(await fixture.reaches(six.id, 'completed', 'failed')).toMatchObject({
      status: 'failed',
      status_detail: 'sandbox_lost',
      sandbox_state: 'missing',
    });
    expect(told(await fixture.events(six.id)).slice(-2)).toEqual([
      'error sandbox_lost: 6 consecutive attempts at this session failed or lost their worker.',
      'failed sandbox_lost',
    ]);
  });
});
