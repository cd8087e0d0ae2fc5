import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { memoryMib, startProgram } from './processes.ts';

type Json = Record<string, unknown>;

/**
 * Measures a whole server on its own data: time from start to ready (first start, and on existing data), idle memory,
 * and the platform's overhead of a session of the `script` agent: all of its time minus the commands'.
 */
export async function benchSessions(directory: string, rounds: number, say: (line: string) => void) {
  const data = mkdtempSync(join(directory, 'whole-'));
  const log = join(directory, 'whole.log');
  const start = (role: string) =>
    startProgram(
      'server/src/main.ts',
      ['--port', '0', '--data', data, '--role', role, '--json'],
      { DATABASE_URL: '' },
      log,
    );
  say('first start');
  const first = await start('all');
  await first.stop();
  const warm: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    say('start on existing data');
    const again = await start('all');
    warm.push(again.startMs);
    await again.stop();
  }
  const api = await start('api');
  say('idle for ten seconds');
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const idleMib = memoryMib(api.pid);
  await api.stop();
  const server = await start('all');
  try {
    const overheads: number[] = [];
    const call = caller(String(server.ready['url']), readFileSync(join(data, 'admin-key'), 'utf8').trim());
    await pushRepository(call, directory, {
      repo: 'bench/project',
      files: { state: 'broken\n', Makefile: 'test:\n\tgrep -q fixed state\n' },
    });
    const agent = await call('POST', '/agents', {
      name: 'bench',
      runtime: 'script',
      runtime_config: { steps: [{ run: 'echo fixed > state' }], summary: 'Done.' },
    });
    for (let round = 0; round < rounds; round += 1) {
      say(`session ${round + 1} of ${rounds}`);
      overheads.push(await overheadOf(call, String(agent['id'])));
    }
    return { firstStartMs: first.startMs, warmStartMs: Math.min(...warm), idleMib, overheadMs: overheads };
  } finally {
    await server.stop();
  }
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Json>;

/** Returns a function that calls the API and throws its refusals. */
export function caller(url: string, key: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok || typeof answer !== 'object' || answer === null)
      throw new Error(`${method} ${path} answered ${response.status}`);
    return { ...answer, url, key };
  };
}

/** Creates a repository on the built-in git host and pushes files into it. */
export async function pushRepository(
  call: Call,
  directory: string,
  { repo, files, branches = 0 }: { repo: string; files: Record<string, string>; branches?: number },
): Promise<void> {
  const repository = await call('POST', '/v3/organizations/default/repositories', { provider: 'local', repo });
  const source = mkdtempSync(join(directory, 'project-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), content);
  }
  const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (args: string[], input = ''): void =>
    void execFileSync('git', args, { cwd: source, env, stdio: 'pipe', input });
  git(['init', '-q', '-b', 'main']);
  git(['add', '--all']);
  git(['-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-q', '-m', 'first']);
  git(['fast-import', '--quiet'], Array.from({ length: branches }, (_, number) => branchOf(number)).join(''));
  const key = `http.extraHeader=Authorization: Bearer ${String(repository['key'])}`;
  git(['-c', key, 'push', '-q', String(repository['clone_url']), 'refs/heads/*:refs/heads/*']);
}

/** Returns commands for git fast-import: a branch of a session, with a commit that adds a file. */
function branchOf(number: number): string {
  const content = `What was found, number ${number}.\n`;
  return [
    `commit refs/heads/guildhall/note-${number}`,
    'committer b <b@localhost> 1700000000 +0000',
    'data 4',
    'Note',
    'from refs/heads/main',
    `M 100644 inline notes/found-${number}.md`,
    `data ${content.length}`,
    `${content}\n`,
  ].join('\n');
}

/** Returns the milliseconds of one session outside of commands. */
async function overheadOf(call: Call, agentId: string): Promise<number> {
  const begun = performance.now();
  const created = await call('POST', '/v3/organizations/default/sessions', {
    prompt: 'Fix it',
    agent_id: agentId,
    repositories: [{ repo: 'bench/project' }],
  });
  const path = `/v3/organizations/default/sessions/${String(created['id'])}`;
  let session = created;
  while (!['completed', 'failed'].includes(String(session['status']))) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    session = await call('GET', path);
  }
  const total = performance.now() - begun;
  if (session['verification'] !== 'fixed') throw new Error(`The session ended ${String(session['status_detail'])}.`);
  const events = await call('GET', `${path}/events?first=200`);
  const commands = Array.isArray(events['items'])
    ? events['items'].filter((event: Json) => event['kind'] === 'command')
    : [];
  const spent = commands.reduce(
    (sum: number, event: { data: { duration_ms: number | null } }) => sum + (event.data.duration_ms ?? 0),
    0,
  );
  return total - spent;
}
