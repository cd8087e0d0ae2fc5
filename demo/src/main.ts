import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createApi, listOf, objectOf, type Api, type Json } from './api.ts';
import { agentConfig, codeBase, prompt, setupCommand, unpackCodeBase } from './defect.ts';
import * as show from './show.ts';

const { values } = parseArgs({
  options: { once: { type: 'boolean', default: false }, port: { type: 'string', default: '0' } },
});
const directory = mkdtempSync(join(tmpdir(), 'guildhall-demo-'));
const logFile = join(directory, 'server.log');
const organization = '/v3/organizations/default';

show.title('Guildhall: one session, from a defect to a verified change request');
const server = startServer();
let succeeded = false;
try {
  const api = await ready(server);
  succeeded = await run(api);
  if (!values.once) await explore(api);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\nThe server's log: ${logFile}\n`);
} finally {
  await stop(server);
  if (succeeded) rmSync(directory, { recursive: true, force: true });
}
process.exitCode = succeeded ? 0 : 1;

/** The server as `npm start` starts it, on fresh embedded data. */
function startServer(): ChildProcess {
  const log = openSync(logFile, 'a');
  const main = join(import.meta.dirname, '../../server/src/main.ts');
  const args = [main, '--json', '--port', values.port, '--data', join(directory, 'data')];
  const { DATABASE_URL: _outside, ...env } = process.env;
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', log], detached: true });
  closeSync(log);
  return child;
}

async function ready(child: ChildProcess): Promise<Api> {
  if (child.stdout === null) throw new Error('The server has no standard output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const message = objectOf(JSON.parse(line));
    if (message['event'] !== 'ready') continue;
    show.step(`started on an embedded PostgreSQL: ${String(message['url'])}`);
    return createApi(String(message['url']), readFileSync(join(directory, 'data/admin-key'), 'utf8').trim());
  }
  throw new Error(`The server did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

async function run(api: Api): Promise<boolean> {
  const repository = await importCodeBase(api);
  show.step(`imported minimist ${codeBase.version} with its tests as ${codeBase.repo} (${codeBase.cve} is in it)`);
  const agent = await api.call('POST', '/agents', { name: 'fix', runtime: 'script', runtime_config: agentConfig });
  show.step('created an agent of the runtime "script": declared steps, no model');
  const session = await api.call('POST', `${organization}/sessions`, {
    prompt,
    repositories: [{ repo: codeBase.repo }],
    agent_id: agent['id'],
  });
  show.title(`Session ${String(session['id'])}`);
  await follow(api, String(session['id']));
  return report(api, String(session['id']), String(repository['id']));
}

/** Creates the repository and pushes the code base into it, as any project would be. */
async function importCodeBase(api: Api): Promise<Json> {
  const repository = await api.call('POST', `${organization}/repositories`, {
    provider: 'local',
    repo: codeBase.repo,
    environment: { setup_command: setupCommand },
  });
  const source = unpackCodeBase();
  const git = (...args: string[]): void =>
    void execFileSync('git', args, {
      cwd: source,
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        // The key goes by environment: arguments show in the process list.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'http.extraHeader',
        GIT_CONFIG_VALUE_0: `Authorization: Bearer ${api.key}`,
      },
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git(
    '-c',
    'user.name=Guildhall demo',
    '-c',
    'user.email=demo@localhost',
    'commit',
    '--quiet',
    '-m',
    `minimist ${codeBase.version}`,
  );
  git('push', '--quiet', String(repository['clone_url']), 'main');
  rmSync(source, { recursive: true, force: true });
  return repository;
}

async function follow(api: Api, sessionId: string): Promise<void> {
  const view = show.createSessionView(Date.now());
  const end = new AbortController();
  const late = setTimeout(() => end.abort(new Error('The session took longer than ten minutes.')), 600_000);
  try {
    for await (const event of api.follow(`${organization}/sessions/${sessionId}/events/stream`, end.signal)) {
      view(event);
      const status = objectOf(event['data'])['status'];
      if (event['kind'] === 'status' && (status === 'completed' || status === 'failed' || status === 'suspended'))
        return;
    }
  } finally {
    clearTimeout(late);
  }
}

/** Shows what came out; true when the session completed and its change request holds the verified fix. */
async function report(api: Api, sessionId: string, repositoryId: string): Promise<boolean> {
  const session = await api.call('GET', `${organization}/sessions/${sessionId}`);
  const phases = listOf(session['phases']);
  const [changeRequest] = listOf(session['change_requests']);
  if (changeRequest === undefined) {
    show.title(`No change request: the session is ${String(session['status'])} / ${String(session['status_detail'])}`);
    return false;
  }
  const path = `${organization}/repositories/${repositoryId}/change-requests/${String(changeRequest['number'])}`;
  const opened = await api.call('GET', path);
  const changed = await api.call('GET', `${path}/diff`);
  show.title('The change');
  for (const file of listOf(changed['files'])) show.diff(String(file['patch']));
  show.title('The same check before and after, each in a clean sandbox');
  show.evidence(phases);
  show.title('Result');
  show.fact('outcome', `${String(session['status'])}, ${String(session['verification'])}`);
  show.fact('change request', String(changeRequest['url']));
  show.durations(phases);
  const proof = listOf(opened['evidence']);
  return (
    session['status'] === 'completed' &&
    session['verification'] === 'fixed' &&
    opened['head_sha'] !== '' &&
    proof.length > 0
  );
}

/** Leaves the server up for a first session of one's own. */
async function explore(api: Api): Promise<void> {
  show.title('Your turn: the server stays up until Ctrl-C');
  show.fact('reference', `${api.url}/docs`);
  show.fact('key', api.key);
  const body = JSON.stringify({ prompt: 'Say what is here', repositories: [{ repo: codeBase.repo }] });
  process.stdout.write(
    `\n   curl -s ${api.url}${organization}/sessions \\\n     -H "authorization: Bearer ${api.key}" -H "content-type: application/json" \\\n     -d '${body}'\n\n`,
  );
  await new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
