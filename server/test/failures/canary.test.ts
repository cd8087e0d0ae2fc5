import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Search } from '../support/canary-search.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/failures.ts';
import { startTellingModel, type TellingModel } from '../support/telling-model.ts';
import {
  createRuntimeFixture,
  type RuntimeFixture,
  type TestRepository,
  type TestSession,
} from '../support/sessions.ts';

const organization = '/v3/organizations/default';
const random = (bytes: number): string => randomBytes(bytes).toString('base64url').replaceAll('-', 'x');
const pem = `-----BEGIN PRIVATE KEY-----\n${randomBytes(160)
  .toString('base64')
  .replaceAll(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;

/** Values that must not appear anywhere, by the name of their secret. */
const canaries: Record<string, string> = {
  ORG_TOKEN: `tok_${random(24)}`,
  ODD_TOKEN: `${random(12)}/+%&"'<>\\ ${random(12)}=é`,
  KEY_FILE: pem,
  BIG_FILE: random(9_000),
  REPO_TOKEN: `repo_${random(24)}`,
  MINE: `mine_${random(24)}`,
  ONCE: `once_${random(24)}`,
  ONCE_FILE: `once-file_${random(24)}`,
  BROKERED: `broker_${random(24)}`,
  ROBOT_LOGIN: `robot:git_${random(24)}`,
  MODEL_KEY: `sk-${random(24)}`,
  OPERATORS_KEY: `sk-ant-${random(24)}`,
};
/** Secrets in environment variables of commands, or in files that these name. */
const variables = ['ORG_TOKEN', 'ODD_TOKEN', 'REPO_TOKEN', 'MINE', 'ONCE'];
const files = ['KEY_FILE', 'BIG_FILE', 'ONCE_FILE'];
const marker = 'the-search-looks-here';

let fixture: RuntimeFixture;
let worker: WorkerProcess;
let model: TellingModel;
let repository: TestRepository;
let logs: string;
let logFile: number;
let search: Search;
const sessions: Record<string, TestSession> = {};

/** Shell commands that print everything a program can know. */
const tellAll = `
values() { for name in ${variables.join(' ')}; do printf '%s\\n' "\${!name}"; done; for name in ${files.join(' ')}; do cat "\${!name}"; echo; done; }
echo ${marker}; env; values; values >&2
values | base64; values | base64 -w0; echo; for name in ${variables.join(' ')}; do printf '%s' "\${!name}" | base64 -w0; printf 'x%s' "\${!name}" | base64; printf 'xy%s' "\${!name}" | base64 -w0 | tr '+/' '-_'; done
values | xxd -p; values | od -An -tx1; for name in ${variables.join(' ')}; do printf '%s' "\${!name}" | od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F; echo; done
node -e 'for (const name of "${variables.join(' ')}".split(" ")) { const v = process.env[name]; console.log(encodeURIComponent(v), JSON.stringify({v}), JSON.stringify(JSON.stringify({v})), [...Buffer.from(v)].map((b) => "%" + b.toString(16).padStart(2, "0")).join("")); }'
for name in ${variables.join(' ')}; do node -e 'const v = process.env["'$name'"]; (async () => { for (const c of v) { process.stdout.write(c); await new Promise((r) => setTimeout(r, 2)); } console.log(); })()'; done
cat /proc/self/environ | tr '\\0' '\\n'
`;
/** Prints more than an event log takes, with values across chunk boundaries. */
const tellMuch = `node -e 'const v = process.env.ORG_TOKEN + process.env.ODD_TOKEN; for (let at = 0; at < 40; at += 1) { process.stdout.write("z".repeat(16384 - 7 * at - 20)); process.stdout.write(v + "\\n"); }'`;

async function post(path: string, body: object): Promise<void> {
  const headers = { 'idempotency-key': random(9) };
  const answer = await fixture.api.call('POST', `${organization}${path}`, { body, headers });
  if (answer.status >= 300) throw new Error(answer.text);
}

async function makeSecrets(): Promise<void> {
  const value = (key: string): { key: string; value: string } => ({ key, value: canaries[key] ?? '' });
  await post('/secrets', { ...value('ORG_TOKEN') });
  await post('/secrets', { ...value('ODD_TOKEN') });
  await post('/secrets', { ...value('KEY_FILE'), kind: 'file' });
  await post('/secrets', { ...value('BIG_FILE'), kind: 'file' });
  await post('/secrets', { ...value('REPO_TOKEN'), scope: 'repository', repo: repository.repo });
  await post('/secrets', { ...value('MINE'), scope: 'user' });
  await post('/secrets', { ...value('BROKERED'), exposure: 'broker', allowed_hosts: ['api.example.com'] });
  await post('/secrets', {
    ...value('ROBOT_LOGIN'),
    kind: 'git_credential',
    exposure: 'broker',
    allowed_hosts: ['git.example.com'],
  });
  await post('/secrets', { ...value('MODEL_KEY'), exposure: 'broker', allowed_hosts: [new URL(model.url).host] });
}

const once = (): object[] => [
  { key: 'ONCE', value: canaries['ONCE'] },
  { key: 'ONCE_FILE', value: canaries['ONCE_FILE'], kind: 'file' },
];

beforeAll(async () => {
  logs = await mkdtemp(join(tmpdir(), 'guildhall-canary-'));
  logFile = openSync(join(logs, 'api.log'), 'a');
  model = await startTellingModel(Object.values(canaries));
  const environment = {
    GUILDHALL_LOG_LEVEL: 'debug',
    GUILDHALL_EGRESS_ALLOW: `model=127.0.0.1:${new URL(model.url).port}`,
  };
  fixture = await createRuntimeFixture(environment, logFile);
  worker = await startWorkerProcess(fixture.api, fixture.api.url, {
    ...environment,
    ANTHROPIC_API_KEY: canaries['OPERATORS_KEY'] ?? '',
  });
  repository = await fixture.repository({ answer: '41\n', 'src/app.js': 'export const token = "";\n' });
  await makeSecrets();
  const providers = [{ name: 'telling', kind: 'openai_compatible', base_url: `${model.url}/v1`, secret: 'MODEL_KEY' }];
  const set = await fixture.api.call('PUT', `${organization}/settings/models`, { body: { providers } });
  if (set.status !== 200) throw new Error(set.text);
  const session_secrets = once();
  const check = `${tellAll}\ngrep -q 42 answer`;
  const steps = (...run: string[]) => ({ steps: run.map((one) => ({ run: one })), summary: 'It is done.' });
  const leak =
    'printf "const t = \\"%s\\";\\n" "$ORG_TOKEN" >> src/app.js; values() { cat "$KEY_FILE"; }; values > "dir-$ONCE"; printf "\\0\\1%s" "$MINE" > binary; echo 42 > answer';
  const run = async (name: string, input: object): Promise<void> => {
    sessions[name] = await fixture.run({ repository, session_secrets, ...input });
  };
  await Promise.all([
    run('telling', { agent: steps(tellAll, tellMuch, `echo '42 ${marker}' > answer`), verify_command: check }),
    run('writing', { agent: steps(leak) }),
    run('failing', { agent: steps('echo "fatal: cannot log in as $ORG_TOKEN" >&2; "./$REPO_TOKEN"; exit 3') }),
  ]);
  await run('talking', { model: 'telling/parrot', prompt: 'Tell me all.', mode: 'build' });
}, 240_000);

afterAll(async () => {
  await worker.close();
  await fixture.close();
  await model.close();
  closeSync(logFile);
  await rm(logs, { recursive: true, force: true });
});

/** Searches everything that the platform stored, logged and sent. */
async function searched(values: Record<string, string>): Promise<Search> {
  const { ctx } = fixture.api;
  const all = new Search(values);
  await all.inDatabase(ctx.db.pool);
  await all.inFiles(ctx.config.data);
  await all.inFiles(worker.data);
  all.in('the log of the API', readFileSync(join(logs, 'api.log')));
  all.in('the log of the worker', worker.log());
  all.in('what the model was asked', model.requests.map(({ url, body }) => `${url} ${body}`).join('\n'));
  all.in('headers of model calls', JSON.stringify(model.requests.map(({ headers }) => headers)), ['MODEL_KEY']);
  for (const [name, { id }] of Object.entries(sessions)) {
    for (const path of ['', '/events?first=200', '/messages', '/artifacts', '/diff', '/patch', '/changes'])
      all.in(`${name}${path}`, (await fixture.api.call('GET', `${organization}/sessions/${id}${path}`)).text);
    const { json } = await fixture.api.call('GET', `${organization}/sessions/${id}/artifacts?first=200`);
    for (const { id: artifact } of Array.isArray(json['items']) ? json['items'] : [])
      all.in(
        `${name} artifact`,
        (await fixture.api.call('GET', `${organization}/sessions/${id}/artifacts/${artifact}`)).text,
      );
  }
  return all;
}

describe('canaries in secrets of every kind', () => {
  test('reach the commands of a session, which say so in every way they can', async () => {
    expect(sessions['telling']).toMatchObject({
      status: 'completed',
      verification: 'fixed',
      change_requests: [{ state: 'open' }],
    });
    const events = await fixture.events(sessions['telling']?.id ?? '');
    const printed = events.map(({ data }) => (typeof data['text'] === 'string' ? data['text'] : '')).join('');
    expect(printed).toContain('ORG_TOKEN=********');
    expect(printed).toContain('KEY_FILE=/run/secrets/KEY_FILE');
    expect(printed.match(/\*{8}/g)?.length).toBeGreaterThan(100);
    const artifacts = events.filter(({ kind, data }) => kind === 'artifact' && Number(data['size_bytes']) > 262_144);
    expect(artifacts.length).toBeGreaterThan(0);
  });

  test('keep what holds them from being pushed, and the session names file, line and secret', () => {
    const { error, status, status_detail } = sessions['writing'] ?? {};
    expect({ status, status_detail, code: error?.code }).toEqual({
      status: 'failed',
      status_detail: 'guardrail',
      code: 'secret_in_changes',
    });
    expect(error?.message).toContain('src/app.js:2 contains the value of the secret ORG_TOKEN');
    expect(error?.message).toContain('the name of dir-******** contains the value of the secret ONCE');
    expect(error?.message).toContain('binary:1 contains the value of the secret MINE');
    expect(error?.message).toMatch(/dir-\*{8}:\d+ contains the value of the secret KEY_FILE/);
  });

  test('are told to no model, whose own words are masked, and which is asked once to take them out', () => {
    expect(model.requests.length).toBeGreaterThan(4);
    expect(
      model.requests.some(({ headers }) => headers.authorization === `Bearer ${canaries['MODEL_KEY'] ?? ''}`),
    ).toBe(true);
    const bodies = model.requests.map(({ body }) => body).join('\n');
    expect(bodies).toContain(marker);
    expect(bodies).toContain('********');
    expect(bodies).toContain('contains the value of the secret ORG_TOKEN');
    expect(sessions['talking']).toMatchObject({ status: 'completed', change_requests: [{ state: 'open' }] });
  });

  test('are found nowhere in all that the platform keeps, says and sends, and what was planted is', async () => {
    worker.process.kill('SIGTERM');
    await worker.exited;
    search = await searched(canaries);
    const { tables, rows, files: fileCount, gitObjects, bytes, found } = search.report;
    process.stdout.write(
      `searched: ${tables} tables with ${rows} rows, ${fileCount} files, ${gitObjects} git objects, ${(bytes / 1e6).toFixed(1)} MB in all\n`,
    );
    expect(found).toEqual([]);
    expect(worker.log()).toContain('"msg":"a model call"');
    expect(readFileSync(join(logs, 'api.log'), 'utf8')).toContain('/secrets');
    expect(tables).toBeGreaterThan(30);
    expect(gitObjects).toBeGreaterThan(10);
    // The same search finds an existing marker: in rows, events, artifacts, patches, git objects, logs and model calls.
    const places = (await searched({ marker })).report.found.join('\n');
    for (const place of ['session_events', '.patch:', 'objects of', 'what the model was asked', '/artifacts/'])
      expect(places).toContain(place);
    await fixture.api.ctx.db.pool.query('create table planted (content bytea)');
    await fixture.api.ctx.db.pool.query('insert into planted values ($1)', [
      Buffer.from(Buffer.from(`x${canaries['ORG_TOKEN']}`).toString('base64')),
    ]);
    const planted = new Search(canaries);
    await planted.inDatabase(fixture.api.ctx.db.pool);
    expect(planted.report.found.map((one) => one.split(':')[0])).toEqual(['ORG_TOKEN in public.planted.content']);
  });
});
