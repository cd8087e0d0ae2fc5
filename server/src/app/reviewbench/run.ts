import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { readConfig } from '../../config/config.ts';
import { isRecord } from '../../lib/record.ts';
import { startServer } from '../server.ts';
import { findingsFile, readTask, type BenchTask } from './task.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Api = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** ReviewBench ends a container after 15 minutes. */
const limitMs = 14 * 60_000;
const organization = '/v3/organizations/default';
const Findings = Type.Object({
  items: Type.Array(
    Type.Object({
      status: Type.String(),
      file: Type.String(),
      line: Type.Union([Type.Integer(), Type.Null()]),
      start_line: Type.Union([Type.Integer(), Type.Null()]),
      title: Type.String(),
      body: Type.String(),
      evidence: Type.String(),
    }),
  ),
});

/**
 * Reviews one pull request as ReviewBench's container contract asks, in an installation of its own that is removed afterwards,
 * and writes the findings file. Throws if there is no complete review: an empty list would claim one.
 */
export async function reviewBench(environment: Environment, say: (line: string) => void): Promise<void> {
  const task = await readTask(environment);
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-reviewbench-'));
  say(`model=${task.model === '' ? 'none (linters)' : task.model}`);
  const config = readConfig(['--data', join(directory, 'data'), '--port', '0'], {
    ...environment,
    GUILDHALL_METRICS_PORT: '0',
    GUILDHALL_LOG_LEVEL: environment['GUILDHALL_LOG_LEVEL'] ?? 'error',
    GUILDHALL_RATE_LIMIT: '0',
  });
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  try {
    let key = '';
    server = await startServer(config, { keepAdminKey: async (_, given) => void (key = given) });
    const api = apiOf(server.ready.url, key);
    const findings = await review(api, task, { key, path: environment['PATH'], home: directory });
    await mkdir(dirname(task.output), { recursive: true });
    await writeFile(task.output, `${JSON.stringify(findingsFile(task, findings), undefined, 2)}\n`);
    say(`${findings.length} findings are in ${task.output}.`);
  } finally {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function apiOf(url: string, key: string): Api {
  return async (method, path, body) => {
    // Agents have no version in their address.
    const place = path.startsWith('/agents') ? path : `${organization}${path}`;
    const answer = await fetch(`${url}${place}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    if (!answer.ok || !isRecord(json)) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return json;
  };
}

async function review(api: Api, task: BenchTask, push: Omit<Push, 'cloneUrl'>) {
  const deadline = Date.now() + limitMs;
  const made = await api('POST', '/repositories', {
    provider: 'local',
    repo: 'bench/repository',
    default_branch: 'main',
  });
  const head = await pushCommits(task, { ...push, cloneUrl: String(made['clone_url']) });
  const proposer = await api('POST', '/agents', {
    name: 'Proposer',
    runtime: 'script',
    runtime_config: { steps: [{ run: `git read-tree -u --reset ${head}` }], summary: task.title },
  });
  const session = await api('POST', '/sessions', {
    agent_id: proposer['id'],
    title: task.title.slice(0, 200) || 'Change',
    prompt: `${task.title}\n\n${task.body}`.trim().slice(0, 50_000) || 'Change',
    repositories: [{ provider: 'local', repo: 'bench/repository' }],
  });
  await ended(api, `/sessions/${String(session['id'])}`, deadline);
  if (task.model !== '') {
    const reviewer = await api('POST', '/agents', { name: 'Reviewer', model: task.model });
    await api('PUT', `/reviews/policies/${String(made['id'])}`, { agent_id: reviewer['id'] });
  }
  const asked = await api('POST', '/reviews', { repo: 'bench/repository', number: 1 });
  const path = `/reviews/${String(asked['id'])}`;
  await ended(api, path, deadline);
  const found = await api('GET', `${path}/findings?first=200`);
  if (!Value.Check(Findings, found)) throw new Error('The findings have an unknown form.');
  return found.items;
}

/** Waits for the end of a session or a review. Throws unless it completed. */
async function ended(api: Api, path: string, deadline: number): Promise<void> {
  for (;;) {
    const { status, problem, error } = await api('GET', path);
    if (status === 'completed') return;
    if (status !== 'queued' && status !== 'provisioning' && status !== 'running')
      throw new Error(`${path} is ${String(status)}: ${typeof problem === 'string' ? problem : JSON.stringify(error)}`);
    if (Date.now() > deadline) throw new Error(`${path} did not end within ${limitMs / 60_000} minutes.`);
    await delay(500);
  }
}

interface Push {
  cloneUrl: string;
  key: string;
  /** The search path for programs. */
  path: string | undefined;
  home: string;
}

/**
 * Pushes the trees of the merge base and of the head as two commits, because the checkout of the benchmark is shallow. Returns
 * the second one, which has the same lines as `RB_HEAD`.
 */
async function pushCommits(task: BenchTask, { cloneUrl, key, path, home }: Push): Promise<string> {
  const env = {
    PATH: path,
    HOME: home,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    // Not an argument: those are visible to all processes of the machine.
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
  };
  const always = [
    `safe.directory=${task.repository}`,
    'core.hooksPath=/dev/null',
    'user.name=Guildhall',
    'user.email=x',
  ];
  const options = [...always.flatMap((option) => ['-c', option]), '-C', task.repository];
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', [...options, ...args], { timeout: 5 * 60_000, env });
    return stdout.trim();
  };
  const from = await git('merge-base', task.base, task.head).catch(() => task.base);
  const base = await git('commit-tree', `${from}^{tree}`, '-m', 'Base');
  const head = await git('commit-tree', `${task.head}^{tree}`, '-p', base, '-m', 'Head');
  await git('push', '--quiet', cloneUrl, `${base}:refs/heads/main`, `${head}:refs/heads/head`);
  return head;
}
