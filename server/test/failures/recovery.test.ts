import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  lockTable,
  printedBy,
  startProxy,
  startWorkerProcess,
  told,
  type HttpProxy,
  type Held,
  type WorkerProcess,
} from '../support/failures.ts';
import {
  createRuntimeFixture,
  type RuntimeFixture,
  type TestEvent,
  type TestRepository,
  type TestSession,
} from '../support/sessions.ts';

/** The states of a session when its worker is killed. */
const moments = [
  'provisioning',
  'reproduce',
  'implement',
  'model call',
  'verify',
  'push',
  'change request',
  'long turn',
] as const;
type Moment = (typeof moments)[number];

interface Lost {
  repository: TestRepository;
  id: string;
  /** The events just before the kill. */
  before: TestEvent[];
  after: TestEvent[];
  session: TestSession;
}

/** Waits until the branch `go` exists; every sandbox can query it through its gateway. */
const wait = 'echo waits; until git ls-remote --exit-code origin refs/heads/go >/dev/null 2>&1; do sleep 1; done';
const grep = 'grep -q 42 answer';
const fix = 'echo 42 >> answer';
/** Changes a file every half second; when started again, prints what it finds and ends. */
const ticks = `if [ -e ticks ]; then echo "found $(tail -n 1 ticks)"; ${fix}; exit; fi
for i in $(seq 1 200); do echo $i >> ticks; echo "tick $i"; sleep 0.5; done`;
const steps: Record<Exclude<Moment, 'model call'>, string[]> = {
  provisioning: [fix],
  reproduce: [fix],
  implement: ['echo one >> answer; echo first step', `${wait}; ${fix}`],
  verify: [fix],
  push: [fix],
  'change request': [fix],
  'long turn': [ticks],
};
const checks: Partial<Record<Moment, string>> = {
  reproduce: `grep -q 42 answer || { ${wait}; }; ${grep}`,
  verify: `grep -q 42 answer && { ${wait}; }; ${grep}`,
  'change request': `grep -q 42 answer && { ${wait}; }; ${grep}`,
};

/** The second model call hangs, unless it is repeated. */
const prompt = script([
  { run: 'echo one >> answer; echo first step' },
  { run: fix, fault: { hang: true } },
  { say: 'It is 42 now.' },
]);

/** The least that is left of a lease when its worker is killed: it lasts 10 s and is renewed every 3 s. */
const leaseLeftMs = 7_000;

let fixture: RuntimeFixture;
let host: HttpProxy;
let model: ScriptedModel;
let second: WorkerProcess;
let killedAt = 0;
const lost = new Map<Moment, Lost>();

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  host = await startProxy(fixture.api.url);
  model = await startScriptedModel();
  const environment = {
    GUILDHALL_SLOTS: '8',
    OPENAI_BASE_URL: `${model.url}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  };
  const first = await startWorkerProcess(fixture.api, host.url, environment);
  const repositories = new Map<Moment, TestRepository>();
  for (const moment of moments) repositories.set(moment, await fixture.repository({ answer: '41\n' }));
  const held = [holds(repositories.get('provisioning'), 'upload'), holds(repositories.get('push'), 'receive')];
  await Promise.all([...repositories].map(([moment, repository]) => begin(moment, repository)));
  const [fetching, pushed] = await Promise.all([...held, ...moments.map(reached)]);
  // Its worker waits for this lock in a transaction, so it reaches its state last.
  const lock = await lockTable(fixture.api.connectionString, 'change_requests');
  await letGo(repositories.get('change request'));
  await fixture.event(of('change request').id, ({ kind }) => kind === 'branch_pushed');
  second = await startWorkerProcess(fixture.api, fixture.api.url, environment);
  for (const one of lost.values()) one.before = await fixture.events(one.id);
  killedAt = Date.now();
  await first.close();
  await Promise.all([fetching?.release(), pushed?.release(), lock.release()]);
  await Promise.all(['reproduce', 'implement', 'verify'].map((moment) => letGo(repositories.get(momentOf(moment)))));
  await Promise.all([...lost.values()].map(settled));
});

afterAll(async () => {
  await second.close();
  await fixture.close();
  await Promise.all([host.close(), model.close()]);
});

function momentOf(name: string): Moment {
  const found = moments.find((moment) => moment === name);
  if (found === undefined) throw new Error(`there is no moment ${name}`);
  return found;
}

async function holds(repository: TestRepository | undefined, what: 'upload' | 'receive'): Promise<Held> {
  return host.hold(new RegExp(`^POST /git-run/${repository?.repo}\\.git/git-${what}-pack`), 'answer');
}

async function begin(moment: Moment, repository: TestRepository): Promise<void> {
  const agent =
    moment === 'model call' ? { prompt } : { agent: { steps: steps[moment].map((run) => ({ run })), summary: '' } };
  const session = await fixture.create({ repository, ...agent, verify_command: checks[moment] ?? grep });
  lost.set(moment, { repository, id: session.id, before: [], after: [], session });
}

/** Waits until a session has reached the state in which it loses its worker. */
async function reached(moment: Moment): Promise<undefined> {
  const { id } = of(moment);
  const prints = (phase: string, text: string) => (event: TestEvent) =>
    event.kind === 'output' && event.phase === phase && String(event.data['text']).includes(text);
  switch (moment) {
    case 'provisioning':
    case 'push':
      // The proxy reports it.
      return;
    case 'reproduce':
    case 'implement':
    case 'verify':
      await fixture.event(id, prints(moment, 'waits'));
      return;
    case 'model call':
      await fixture.until(async () => (modelCalls(1) > 0 ? true : undefined), 'a second call of the model');
      return;
    case 'change request':
      await fixture.event(id, prints('verify', 'waits'));
      return;
    case 'long turn':
      await fixture.event(id, prints('implement', 'tick 33\n'));
  }
}

/** Returns the number of model calls for this step of its script. */
function modelCalls(index: number): number {
  return model.requests.filter(({ step }) => step?.index === index).length;
}

async function letGo(repository: TestRepository | undefined): Promise<void> {
  if (repository === undefined) return;
  const clone = await fixture.clone(repository, 'main');
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
}

async function settled(one: Lost): Promise<void> {
  one.session = await fixture.reaches(one.id, 'completed', 'failed');
  one.after = await fixture.events(one.id);
}

function of(moment: Moment): Lost {
  const one = lost.get(moment);
  if (one === undefined) throw new Error(`no session was lost at ${moment}`);
  return one;
}

describe.each(moments)('a worker killed at the moment "%s"', (moment) => {
  test('is replaced before its lease expires, and the session ends as if nothing had happened', () => {
    const { session, after } = of(moment);
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', verification: 'fixed' });
    expect(session).toMatchObject({ attempt_no: 2, error: null });
    const again = after.find(({ attempt_no }) => attempt_no === 2);
    expect(Date.parse(again?.created_at ?? '') - killedAt).toBeLessThan(leaseLeftMs);
    const lines = told(after);
    expect(lines.at(-1)).toBe('completed finished');
    expect(lines.filter((line) => line.startsWith('warning') || line.startsWith('error'))).toEqual([
      expect.stringContaining(
        'warning worker_lost: The worker that ran this session was lost; another one took over. ',
      ),
    ]);
  });

  test('costs no event that was on record, and no number is given twice', () => {
    const { before, after } = of(moment);
    expect(before.length).toBeGreaterThan(1);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1));
  });

  test('leads to one change request, with the work of the session alone', async () => {
    const { repository, session, after } = of(moment);
    const requests = await fixture.changeRequests(repository);
    expect(requests).toHaveLength(1);
    expect(after.filter(({ kind }) => kind === 'change_request')).toHaveLength(1);
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await fixture.git(clone, 'rev-list', '--count', 'HEAD', '^origin/main')).toBe('1');
    expect(await fixture.git(clone, 'rev-parse', 'HEAD')).toBe(requests[0]?.head_sha);
    const content = await readFile(join(clone, 'answer'), 'utf8');
    expect(content).toBe(moment === 'implement' || moment === 'model call' ? '41\none\n42\n' : '41\n42\n');
  });
});

test('a finished step is not done again after the loss, and no answer of a model is asked for again', () => {
  expect(printedBy(of('implement').after).match(/first step/g)).toHaveLength(1);
  const { after } = of('model call');
  expect(printedBy(after).match(/first step/g)).toHaveLength(1);
  expect(after.filter(({ kind }) => kind === 'tool_result')).toHaveLength(2);
  expect([0, 1, 2].map(modelCalls)).toEqual([1, 2, 1]);
});

test('of a long turn at most the last 10 s of changes are lost', () => {
  const { before, after } = of('long turn');
  const last = Number(
    printedBy(before)
      .match(/tick \d+/g)
      ?.at(-1)
      ?.slice(5),
  );
  const found = Number(/found (\d+)/.exec(printedBy(after))?.[1]);
  expect(last).toBeGreaterThanOrEqual(33);
  expect(last - found).toBeLessThanOrEqual(20);
});
