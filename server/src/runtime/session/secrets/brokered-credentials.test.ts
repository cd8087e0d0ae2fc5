import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createScratch,
  identity,
  startGitHost,
  startPeer,
  type GitHost,
  type Peer,
} from '../../../../test/support/gateway.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../../../../test/support/sessions.ts';
import { createTestAuthority, type TestAuthority } from '../../../../test/support/tls.ts';

const token = 'tok-7be1f3c2a9-of-the-api';
const password = 'pw-41d9c0e7b3-of-the-git-host';
const organization = '/v3/organizations/default';

let fixture: RuntimeFixture;
let authority: TestAuthority;
let scratch: Awaited<ReturnType<typeof createScratch>>;
let git: GitHost;
let gitPort: number;
let api: { port: number; requests: IncomingMessage[] };
let plain: Peer;

beforeAll(async () => {
  authority = await createTestAuthority();
  scratch = await createScratch();
  const requests: IncomingMessage[] = [];
  const server = await scratch.closing(
    authority.serve((request, response) => {
      requests.push(request);
      if (request.url === '/away') response.writeHead(302, { location: `http://other.example.test:${plain.port}/` });
      response.end(`you sent ${String(request.headers['x-api-key'])}`);
    }),
  );
  api = { port: server.port, requests };
  plain = await scratch.closing(startPeer((_request, response) => response.end('plain')));
  const authorization = `Basic ${Buffer.from(`bot:${password}`).toString('base64')}`;
  git = await scratch.closing(startGitHost(join(scratch.path, 'repositories'), { authorization }));
  gitPort = (await scratch.closing(authority.secure(git.port))).port;
  await git.createRepository('acme/private');
  const work = join(scratch.path, 'work');
  const env = { ...identity, GIT_CONFIG_GLOBAL: '/dev/null' };
  await execa('git', ['init', '-q', '-b', 'main', work], { env });
  await execa('git', ['commit', '-q', '--allow-empty', '-m', 'the only one'], { cwd: work, env });
  await execa('git', ['push', '-q', `http://bot:${password}@127.0.0.1:${git.port}/acme/private.git`, 'main'], {
    cwd: work,
    env,
  });
  fixture = await createRuntimeFixture();
  const loopback = { target: '127.0.0.0/8' };
  await fixture.startWorker({
    gateway: {
      egressAllow: [
        { purpose: 'http', ...loopback },
        { purpose: 'git', ...loopback },
      ],
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    },
  });
});

afterAll(async () => {
  await fixture.close();
  await scratch.dispose();
  await authority.close();
});

async function secret(body: object): Promise<string> {
  const { status, json, text } = await fixture.api.call('POST', `${organization}/secrets`, { body });
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

/** Returns the output of the steps, by the first word of each line. */
async function printed(id: string): Promise<Map<string, string>> {
  const text = (await fixture.events(id))
    .filter(({ kind }) => kind === 'output')
    .map(({ data }) => String(data['text']))
    .join('');
  return new Map(
    text.split('\n').map((line): [string, string] => {
      const [word = '', rest = ''] = line.split(/ (.*)/s);
      return [word, rest];
    }),
  );
}

/** Searches the whole sandbox; the patterns do not match themselves. */
const search = [
  "patterns='7be1f3c2[a]9|41d9c0e7[b]3'",
  'echo "environment $(env | grep -cE "$patterns")"',
  'echo "processes $(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -acE "$patterns")"',
  'echo "files $(grep -rlaE "$patterns" /workspace /home /tmp /run /etc /dev/shm 2>/dev/null | wc -l)"',
].join('\n');

test('a secret that stays outside reaches its hosts, and nothing of it is in the sandbox', async () => {
  const host = `api.example.test:${api.port}`;
  const hosts = [host, `plain.example.test:${plain.port}`];
  const ids = [
    await secret({ key: 'SERVICE', value: `x-api-key: ${token}`, exposure: 'broker', allowed_hosts: hosts }),
    await secret({
      key: 'GITHOST',
      value: `bot:${password}`,
      kind: 'git_credential',
      exposure: 'broker',
      allowed_hosts: [`git.example.test:${gitPort}`],
    }),
  ];
  const steps = [
    'echo "placeholder $SERVICE"',
    'echo "https $(curl -sS "$SERVICE_URL/v1/whoami")"',
    `echo "http $(curl -sS http://plain.example.test:${plain.port}/x)"`,
    `echo "other $(curl -sS -o /dev/null -w '%{http_code}' "$GUILDHALL_BROKER_URL/other.example.test:${api.port}/")"`,
    `echo "redirect $(curl -sSL -o /dev/null -w '%{http_code}' "$SERVICE_URL/away")"`,
    `git clone -q https://git.example.test:${gitPort}/acme/private.git /tmp/private`,
    'echo "cloned $(git -C /tmp/private log --format=%s)"',
    'if git -C /tmp/private push -q origin HEAD:refs/heads/mine 2>/dev/null; then echo "pushed yes"; else echo "pushed no"; fi',
    search,
  ].map((run) => ({ run }));
  const session = await fixture.run({ secret_ids: ids, agent: { steps, summary: 'Looked around.' } });
  expect(session).toMatchObject({ status: 'completed', error: null });
  const lines = await printed(session.id);
  expect(Object.fromEntries(lines)).toMatchObject({
    placeholder: 'held-by-the-gateway',
    https: expect.stringMatching(/^you sent \*+$/),
    http: 'plain',
    other: '403',
    redirect: '403',
    cloned: 'the only one',
    pushed: 'no',
    environment: '0',
    processes: '0',
    files: '0',
  });
  expect(api.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
    ['/v1/whoami', token],
    ['/away', token],
  ]);
  expect(plain.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([['/x', token]]);
  const told = JSON.stringify(await fixture.events(session.id));
  for (const value of [token, password]) expect(told).not.toContain(value);
});

test('a git credential in the sandbox is for its hosts alone, and in no variable', async () => {
  await fixture.api.call('PUT', `${organization}/settings/sandbox`, { body: { network: 'open' } });
  const id = await secret({
    key: 'SOURCES',
    value: `bot:${password}`,
    kind: 'git_credential',
    allowed_hosts: [`git.example.test:${gitPort}`],
  });
  const clone = (host: string) =>
    `git -c http.sslVerify=false clone -q https://${host}:${gitPort}/acme/private.git /tmp/$RANDOM$RANDOM 2>/dev/null`;
  const steps = [
    `if ${clone('git.example.test')}; then echo "own yes"; else echo "own no"; fi`,
    `if ${clone('other.example.test')}; then echo "other yes"; else echo "other no"; fi`,
    'echo "environment $(env | grep -cE \'41d9c0e7[b]3\')"',
  ].map((run) => ({ run }));
  const session = await fixture.run({ secret_ids: [id], agent: { steps, summary: 'Cloned.' } });
  expect(session).toMatchObject({ status: 'completed', error: null });
  expect(Object.fromEntries(await printed(session.id))).toMatchObject({ own: 'yes', other: 'no', environment: '0' });
});
