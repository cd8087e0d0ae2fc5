import { createHash } from 'node:crypto';
import { script, startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printedBy, startWorkerProcess, type WorkerProcess } from '../support/failures.ts';
import { readFilesBelow } from '../support/files.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';

const organization = '/v3/organizations/default';
const value = 'the-value-of-the-first-version-0451';
const next = 'what-came-in-its-place-afterwards-88';

let fixture: RuntimeFixture;
let model: ScriptedModel;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  model = await startScriptedModel();
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  await fixture.close();
  await model.close();
});

async function startWorker(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(fixture.api, fixture.api.url, {
    OPENAI_BASE_URL: `${model.url}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  });
  workers.push(worker);
  return worker;
}

test('a worker that is lost in the middle of a secret leaves no half of it, and its work, sealed, goes on elsewhere', async () => {
  const first = await startWorker();
  const repository = await fixture.repository({ answer: '41\n' });
  const wait = 'for i in $(seq 600); do git ls-remote --exit-code -q origin go >/dev/null && break; sleep 0.5; done';
  const steps = [
    // Unpushed files may contain it.
    { run: 'echo "$TOKEN" > keep.tmp; echo 42 > answer; echo "work: $TOKEN"' },
    {
      run: `printf 'half: %s' "\${TOKEN:0:20}"; echo waits >&2; ${wait}; echo "\${TOKEN:20}"`,
    },
    { run: 'echo "restored $(test "$(cat keep.tmp)" = "$TOKEN" && echo all of it)"; rm keep.tmp' },
  ];
  const { id } = await fixture.create({
    repository,
    agent: { steps, summary: '' },
    verify_command: 'grep -q 42 answer',
    session_secrets: [{ key: 'TOKEN', value }],
  });
  await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('waits'));
  await first.close();
  const clone = await fixture.clone(repository, 'main');
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/go');
  await startWorker();
  const session = await fixture.reaches(id, 'completed', 'failed');
  expect(session).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 2 });
  const printed = printedBy(await fixture.events(id));
  expect(printed).toContain('work: ********');
  expect(printed).toMatch(/half: waits\n\*{8}\nrestored/);
  expect(printed).toContain('restored all of it');
  expect(printed).not.toContain(value.slice(0, 8));
  const files = await readFilesBelow(fixture.api.ctx.config.blobs);
  const kept = files.map(([, text]) => text).join('\n');
  expect(kept).toContain('diff --git');
  expect(kept).not.toContain('# v2 git bundle');
  expect(kept).not.toContain(value);
});

test('a secret that is replaced between two turns is the new one in the next, and both stay masked', async () => {
  const path = `${organization}/secrets`;
  for (const kind of ['env', 'file'])
    await fixture.api.call('POST', path, { body: { key: `PASS_${kind}`, value, kind } });
  const say = 'echo "now: $PASS_env $(cat "$PASS_file")"';
  const prompt = script([{ run: `${say}; printf %s "$PASS_env" > ~/old` }, { say: 'One.' }]);
  const { id } = await fixture.create({ prompt });
  await fixture.reaches(id, 'completed', 'failed');
  const list = await fixture.api.call('GET', path);
  for (const secret of Array.isArray(list.json['items']) ? list.json['items'] : [])
    await fixture.api.call('PUT', `${path}/${secret.id}`, { body: { value: next } });
  // Its own value would be masked in the agent's input.
  const digest = createHash('sha256').update(next).digest('hex');
  const isNew = (what: string): string => `[ "$(${what} | sha256sum | cut -c1-64)" = ${digest} ]`;
  const compare = `${isNew('printf %s "$PASS_env"')} && ${isNew('cat "$PASS_file"')} && echo both are new`;
  const content = script([{ run: `${say}; cat ~/old; ${compare}` }, { say: 'Two.' }]);
  await fixture.api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content } });
  await fixture.event(id, ({ turn, kind, data }) => turn === 2 && kind === 'status' && data['status'] === 'completed');
  const printed = printedBy(await fixture.events(id));
  expect(printed.match(/now: \*{8} \*{8}\n/g)).toHaveLength(2);
  expect(printed).toContain('********both are new');
  expect(printed).not.toContain(value);
  expect(printed).not.toContain(next);
});

test('a setup, whose layer others share, gets no secret; the check gets them, before and after', async () => {
  const tell = (where: string): string => `echo "${where}: \${TOKEN-none} \${CERTIFICATE-none}"`;
  const repository = await fixture.repository({ answer: '41\n' }, { setup_command: tell('setup') });
  const secret = (key: string, kind: string): object => ({ key, value: `${key}-${value}`, kind });
  const session = await fixture.run({
    repository,
    agent: { steps: [{ run: `${tell('agent')}; echo 42 > answer` }], summary: '' },
    verify_command: `${tell('check')}; test -r "$CERTIFICATE" && grep -q 42 answer`,
    session_secrets: [
      secret('TOKEN', 'env'),
      secret('CERTIFICATE', 'file'),
      // Words that the platform itself uses do not block a delivery.
      ...['implement', 'completed', 'command_id'].map((word, index) => ({ key: `WORD_${index}`, value: word })),
    ],
  });
  expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
  const printed = printedBy(await fixture.events(session.id));
  expect(printed).toContain('setup: none none\n');
  expect(printed).toContain('agent: ******** /run/secrets/CERTIFICATE\n');
  expect(printed.match(/check: \*{8} \/run\/secrets\/CERTIFICATE\n/g)).toHaveLength(2);
});
