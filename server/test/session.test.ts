import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  gitAs,
  prepareData,
  pushProject,
  startServerProcess,
  temporaryDirectory,
  until,
  type Json,
  type ServerProcess,
} from './support/server.ts';

const organization = '/v3/organizations/default';
const data = temporaryDirectory();
let server: ServerProcess;
let repository: Json;

beforeAll(async () => {
  prepareData(data.path);
  server = await startServerProcess(data.path);
  repository = await pushProject(server, 'acme/widgets', {
    'sum.js': 'module.exports = (a, b) => a - b;\n',
    'package.json': '{"name": "widgets", "scripts": {"test": "node test.js"}}\n',
    'test.js': "require('assert').strictEqual(require('./sum.js')(2, 2), 4);\n",
  });
}, 60_000);
afterAll(async () => {
  server.process.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
  data.remove();
});

async function scriptAgent(run: string): Promise<string> {
  const { json } = await server.call('POST', '/agents', {
    name: 'fix',
    runtime: 'script',
    runtime_config: { steps: [{ run }], summary: 'Adds now.' },
  });
  return String(json['id']);
}

async function startSession(run: string, more: Json = {}): Promise<string> {
  const { status, json } = await server.call('POST', `${organization}/sessions`, {
    prompt: 'sum subtracts',
    repositories: [{ repo: 'acme/widgets' }],
    agent_id: await scriptAgent(run),
    ...more,
  });
  expect(status).toBe(201);
  return String(json['id']);
}

const ended = (json: Json): boolean => ['completed', 'failed', 'canceled'].includes(String(json['status']));

/** Reads frames of a stream until `enough`, then breaks the connection. */
async function readFrames(
  path: string,
  headers: Record<string, string>,
  enough: (ids: number[], text: string) => boolean,
): Promise<{ ids: number[]; text: string }> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.key}`, ...headers },
    signal: abort.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  let text = '';
  let ids: number[] = [];
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
      ids = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      if (enough(ids, whole)) break;
    }
  } finally {
    abort.abort();
  }
  return { ids, text };
}

describe('a session of the script agent on a repository of the built-in host', () => {
  let id: string;

  test('reproduces, changes, verifies and opens a change request with the evidence of both runs', async () => {
    id = await startSession("sed -i 's/a - b/a + b/' sum.js");
    const session = await until(server, `${organization}/sessions/${id}`, ended);
    expect(session).toMatchObject({
      status: 'completed',
      status_detail: 'finished',
      verification: 'fixed',
      error: null,
    });
    expect(session['phases']).toMatchObject([
      { name: 'reproduce', status: 'passed', evidence: [{ command: 'npm test', exit_code: 1 }] },
      { name: 'implement', status: 'passed' },
      { name: 'verify', status: 'passed', evidence: [{ command: 'npm test', exit_code: 0 }] },
      { name: 'deliver', status: 'passed' },
    ]);
    expect(session['sandbox']).toMatchObject({ driver: 'bubblewrap' });
    const { json } = await server.call(
      'GET',
      `${organization}/repositories/${String(repository['id'])}/change-requests/1`,
    );
    expect(json).toMatchObject({
      state: 'open',
      base_ref: 'main',
      additions: 1,
      deletions: 1,
      mergeable: true,
      session_id: id,
    });
    expect(json['evidence']).toMatchObject([{ exit_code: 1 }, { exit_code: 0 }]);
    expect(json['body']).toContain('npm test');
  });

  test('its log has no gap, and a broken stream goes on where it broke', async () => {
    const path = `${organization}/sessions/${id}/events/stream`;
    const { json } = await server.call('GET', `${organization}/sessions/${id}`);
    const last = Number(json['last_seq']);
    const first = await readFrames(path, {}, (ids) => ids.length >= 5);
    expect(first.text.startsWith('event: status\ndata: {')).toBe(true);
    const from = first.ids[4] ?? 0;
    const rest = await readFrames(path, { 'last-event-id': String(from) }, (ids) => (ids.at(-1) ?? 0) >= last);
    // What is delivered may add an event meanwhile.
    const kept = [...first.ids.slice(0, 5), ...rest.ids].slice(0, last);
    expect(kept).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  test('its branch can be fetched and its check run by anyone', () => {
    const clone = temporaryDirectory();
    const git = gitAs(server.key, clone.path);
    git('clone', '--quiet', String(repository['clone_url']), 'widgets');
    const branches = git('-C', 'widgets', 'branch', '--remotes', '--format=%(refname:short)');
    const branch = branches.split('\n').find((name) => name.startsWith('origin/guildhall/')) ?? '';
    git('-C', 'widgets', 'checkout', '--quiet', branch);
    expect(git('-C', 'widgets', 'show', 'HEAD:sum.js')).toContain('a + b');
    expect(git('-C', 'widgets', 'log', '--format=%s', 'main..HEAD').trim().split('\n')).toHaveLength(1);
    clone.remove();
  });

  test('its diff is what git applies', async () => {
    const { json: diff } = await server.call('GET', `${organization}/sessions/${id}/diff`);
    expect(diff).toMatchObject({ additions: 1, deletions: 1, files: [{ path: 'sum.js', status: 'modified' }] });
    const response = await fetch(`${server.url}${organization}/sessions/${id}/patch`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const clone = temporaryDirectory();
    const git = gitAs(server.key, clone.path);
    git('clone', '--quiet', String(repository['clone_url']), '.');
    writeFileSync(join(clone.path, 'session.patch'), await response.text());
    git('apply', '--check', 'session.patch');
    clone.remove();
  });

  test('a message after its end starts another turn on the same branch and change request', async () => {
    const sent = await server.call('POST', `${organization}/sessions/${id}/messages`, { content: 'once more' });
    expect([sent.status, sent.json['state']]).toEqual([202, 'queued']);
    const session = await until(
      server,
      `${organization}/sessions/${id}`,
      (json) =>
        ended(json) && Number(json['last_seq']) > 0 && json['status'] === 'completed' && Number(json['attempt_no']) > 1,
    );
    expect(session['change_requests']).toHaveLength(1);
  });

  test('the change request merges into the default branch', async () => {
    const path = `${organization}/repositories/${String(repository['id'])}/change-requests/1`;
    const { status, json } = await server.call('POST', `${path}/merge`, { method: 'squash' });
    expect([status, json['state']]).toEqual([200, 'merged']);
    expect((await server.call('POST', `${path}/merge`)).json['error']).toBe('change_request_closed');
    const session = await server.call('GET', `${organization}/sessions/${id}`);
    expect(session.json['change_requests']).toMatchObject([{ number: 1, state: 'merged' }]);
  });
});

test('a cancelled session ends at once, and its agent with it', async () => {
  const id = await startSession('sleep 600');
  await until(server, `${organization}/sessions/${id}/events`, (json) => JSON.stringify(json).includes('sleep 600'));
  const { status, json } = await server.call('POST', `${organization}/sessions/${id}/cancel`);
  expect([status, json['status']]).toEqual([200, 'canceled']);
  await until(server, `${organization}/sessions/queue`, (queue) => queue['free_slots'] === 4);
  const again = await server.call('POST', `${organization}/sessions/${id}/messages`, { content: 'go on' });
  expect([again.status, again.json['error']]).toEqual([409, 'session_terminal']);
});

test('the agent of every organization says what it lacks', async () => {
  const { json } = await server.call('POST', `${organization}/sessions`, {
    prompt: 'hello',
    repositories: [{ repo: 'acme/widgets' }],
  });
  const session = await until(server, `${organization}/sessions/${String(json['id'])}`, ended);
  expect(session).toMatchObject({ status: 'failed', status_detail: 'model_error', error: { code: 'model_error' } });
});
