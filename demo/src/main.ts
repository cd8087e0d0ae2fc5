import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createClient, unwrap, type Client, type components } from '@guildhall/client';
import { agentConfig, codeBase, modelTask, prompt, setupCommand, unpackCodeBase } from './defect.ts';
import * as show from './show.ts';

const usage = `Usage: npm run demo [-- --once] [--port <number>]

Starts Guildhall on fresh data and runs one session on a package with a known vulnerability. Stays until Ctrl-C.

  --once            exits after the session; code 0 only if the fix was verified and delivered
  --port <number>   port of the API and the console; a free one by default
`;
const values = readArguments();
const directory = mkdtempSync(join(tmpdir(), 'guildhall-demo-'));
const logFile = join(directory, 'server.log');
const organization = '/v3/organizations/{orgId}';

type Repository = components['schemas']['Repository'];

interface Guildhall {
  client: Client;
  url: string;
  key: string;
}

show.title('Guildhall: one session, from a defect to a verified change request');
const server = startServer();
let wasStopped = false;
// A terminal and npm may both deliver Ctrl-C: the handlers stay, so that the server is always stopped.
const stopped = new Promise<false>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      wasStopped = true;
      resolve(false);
    });
});
// A closed terminal fails writes; the server must be stopped anyway.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
let failed = false;
let succeeded = false;
try {
  const guildhall = await Promise.race([ready(server), stopped]);
  succeeded = guildhall !== false && (await Promise.race([run(guildhall), stopped]));
  failed = !succeeded;
  if (succeeded && guildhall !== false && !values.once) await explore(guildhall);
} catch (error) {
  failed = true;
  show.failure(`${error instanceof Error ? error.message : String(error)}\nThe server's log: ${logFile}`);
} finally {
  await stop(server);
  show.done();
  if (!failed || wasStopped) rmSync(directory, { recursive: true, force: true });
}
process.exit(succeeded ? 0 : wrongUsage());

/** Returns the flags; ends the process with the usage if it was asked for, or if a flag is wrong. */
function readArguments() {
  const options = {
    once: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { values: given } = parseArgs({ options });
    if (!given.help) return given;
    process.stdout.write(usage);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
}

/** Returns the exit status of a server that refused an option or a variable, otherwise 1. */
function wrongUsage(): number {
  return server.exitCode === 2 ? 2 : 1;
}

/** Starts the server as `npm start` does, on fresh embedded data. */
function startServer(): ChildProcess {
  const log = openSync(logFile, 'a');
  const main = join(import.meta.dirname, '../../server/src/main.ts');
  // However this program ends, the server sees the end of its standard input.
  const args = [main, '--json', '--stop-with-stdin', '--port', values.port, '--data', join(directory, 'data')];
  const { DATABASE_URL: _outside, ...outside } = process.env;
  const env = { ...outside, GUILDHALL_METRICS_PORT: '0' };
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', log], detached: true });
  closeSync(log);
  return child;
}

async function ready(child: ChildProcess): Promise<Guildhall> {
  if (child.stdout === null) throw new Error('The server has no standard output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /"event":"ready","url":"([^"]+)"/.exec(line)?.[1];
    if (url === undefined) continue;
    show.step(`started on an embedded PostgreSQL: ${url}`);
    const key = readFileSync(join(directory, 'data/admin-key'), 'utf8').trim();
    return { client: createClient({ baseUrl: url, key }), url, key };
  }
  throw new Error(`The server did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

async function run(guildhall: Guildhall): Promise<boolean> {
  const { client } = guildhall;
  const repository = await importCodeBase(guildhall);
  show.step(`imported minimist ${codeBase.version} with its tests as ${codeBase.repo} (${codeBase.cve} is in it)`);
  const task = await chooseAgent(client);
  const body = { ...task, repositories: [{ repo: codeBase.repo }] };
  const session = await unwrap(client.POST(`${organization}/sessions`, { body }));
  show.title(`Session ${session.id}`);
  await follow(client, session.id);
  return report(client, session.id, repository.id);
}

/** Chooses the built-in agent if a model is configured, else creates a script that needs none; returns its task. */
async function chooseAgent(client: Client) {
  const runtimes = (await unwrap(client.GET('/agents/runtimes'))).items;
  const problem = runtimes.find(({ id }) => id === 'builtin')?.problem ?? '';
  if (problem === '') {
    const builtin = (await unwrap(client.GET('/agents'))).items.find(({ name }) => name === 'builtin');
    if (builtin === undefined) throw new Error('The organization has no agent named builtin.');
    show.step('the built-in agent takes the task, with the model that the environment configures');
    return { ...modelTask, agent_id: builtin.id };
  }
  const body = { name: 'fix', runtime: 'script' as const, runtime_config: agentConfig };
  const { id } = await unwrap(client.POST('/agents', { body }));
  show.step('created an agent of the runtime "script": declared steps, no model');
  show.fact('without a model', problem);
  return { prompt, agent_id: id };
}

/** Creates the repository and pushes the code base into it, as for any project. */
async function importCodeBase({ client, key }: Guildhall): Promise<Repository> {
  const environment = { setup_command: setupCommand };
  const body = { provider: 'local' as const, repo: codeBase.repo, environment };
  const repository = await unwrap(client.POST(`${organization}/repositories`, { body }));
  const source = unpackCodeBase();
  const git = (...args: string[]): void =>
    void execFileSync('git', args, {
      cwd: source,
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        // The key is in the environment, because arguments show in the process list.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'http.extraHeader',
        GIT_CONFIG_VALUE_0: `Authorization: Bearer ${key}`,
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
  git('push', '--quiet', repository.clone_url, 'main');
  rmSync(source, { recursive: true, force: true });
  return repository;
}

async function follow(client: Client, sessionId: string): Promise<void> {
  const view = show.createSessionView(Date.now());
  const signal = AbortSignal.timeout(600_000);
  for await (const event of client.followSession(sessionId, { signal, onLost: show.lost })) {
    view(event);
    if (event.kind === 'phase' && event.data.name === 'implement' && event.data.status === 'running')
      await nameModel(client, sessionId);
    if (event.kind === 'status' && ['completed', 'failed', 'suspended', 'waiting'].includes(event.data.status)) return;
  }
}

/** Shows the model that does the work, if any. */
async function nameModel(client: Client, id: string): Promise<void> {
  const { model } = await unwrap(client.GET(`${organization}/sessions/{id}`, { params: { path: { id } } }));
  if (model !== '') show.fact('model', model);
}

/** Shows the result; returns true if the session completed and its change request contains the verified fix. */
async function report(client: Client, sessionId: string, repositoryId: string): Promise<boolean> {
  const session = await unwrap(client.GET(`${organization}/sessions/{id}`, { params: { path: { id: sessionId } } }));
  const [linked] = session.change_requests;
  if (linked === undefined) {
    show.title(`No change request: the session is ${session.status} / ${session.status_detail}`);
    return false;
  }
  const path = { id: repositoryId, number: linked.number };
  const changeRequest = `${organization}/repositories/{id}/change-requests/{number}` as const;
  const opened = await unwrap(client.GET(changeRequest, { params: { path } }));
  const changed = await unwrap(client.GET(`${changeRequest}/diff`, { params: { path } }));
  show.title('The change');
  for (const file of changed.files) show.diff(file.patch);
  show.title('The same check before and after, each in a clean sandbox');
  show.evidence(session.phases);
  show.title('Result');
  show.fact('outcome', `${session.status}, ${session.verification}`);
  show.fact('change request', linked.url);
  const { input_tokens, output_tokens, cost_usd } = session.usage;
  if (input_tokens > 0) show.fact('model', `${session.model}: ${input_tokens} + ${output_tokens} tokens, $${cost_usd}`);
  show.durations(session.phases);
  const [before, after] = opened.evidence;
  const proven = before?.exit_code !== 0 && before?.problem === undefined && after?.exit_code === 0;
  return session.status === 'completed' && session.verification === 'fixed' && changed.files.length > 0 && proven;
}

/** Keeps the server running for the user's own first session. */
async function explore({ client, url, key }: Guildhall): Promise<void> {
  show.title('Your turn: the server stays up until Ctrl-C');
  show.fact('reference', `${url}/docs`);
  show.fact('key', key);
  const [agent] = (await unwrap(client.GET('/agents'))).items;
  const repositories = [{ repo: codeBase.repo }];
  const body = JSON.stringify({ prompt: 'Fix it once more', repositories, agent_id: agent?.id });
  process.stdout.write(
    `\n   curl -s ${url}/v3/organizations/default/sessions \\\n     -H "authorization: Bearer ${key}" -H "content-type: application/json" \\\n     -d '${body}'\n\n`,
  );
  await stopped;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
