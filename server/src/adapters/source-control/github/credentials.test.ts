import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectGithub } from '../../../../test/hosts/github/connected.ts';
import { CredentialRejected, type HostCredential } from '../connection.ts';
import type { RunAccess } from '../port.ts';

let connected: Awaited<ReturnType<typeof connectGithub>>;
let app: HostCredential;
const run: RunAccess = { sessionId: 'ses_1', fence: 1, branch: async () => 'topic' };
const minute = 60_000;

beforeAll(async () => {
  connected = await connectGithub();
  app = connected.state.credential;
});
beforeEach(() => {
  connected.state.credential = app;
});
afterAll(async () => {
  expect(connected.fake.problems).toEqual([]);
  await connected.close();
});

const tokenOf = (header = ''): string => Buffer.from(header.slice(6), 'base64').toString('utf8').split(':')[1] ?? '';
const minted = (): number => connected.fake.requests.filter(({ path }) => path.endsWith('/access_tokens')).length;

test("a session's token is narrowed to its repository and to contents, and is renewed before it expires", async () => {
  const { fake, source, repository } = connected;
  const access = await source.cloneAccess(repository, run);
  expect(access).toMatchObject({ remoteUrl: `${fake.url}/acme/app.git`, exempt: false });
  const first = tokenOf(await access.authorization());
  expect(fake.grants.of(first)).toMatchObject({
    permissions: { contents: 'write' },
    repositories: [fake.repository('acme/app').id],
  });
  const before = minted();
  expect(await Promise.all([access.authorization(), access.authorization()]).then(([one]) => tokenOf(one))).toBe(first);
  fake.aheadMs += 54 * minute;
  expect(tokenOf(await access.authorization())).toBe(first);
  fake.aheadMs += 2 * minute;
  const [second, third] = (await Promise.all([access.authorization(), access.authorization()])).map(tokenOf);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(minted()).toBe(before + 1);
});

test('a push continues after its token expired between two requests', async () => {
  const { fake, source, repository, fixture, work } = connected;
  const access = await source.cloneAccess(repository, run);
  const push = async (header = '') =>
    fixture.client(
      work,
      '-c',
      `http.extraHeader=Authorization: ${header}`,
      'push',
      '-q',
      access.remoteUrl,
      'main:late',
    );
  const header = await access.authorization();
  fake.aheadMs += 61 * minute;
  await expect(push(header)).rejects.toThrow(/401|could not read Username|Authentication failed/);
  await push(await access.authorization());
  expect(await source.branchHead(repository, 'late')).toBe(await fixture.client(work, 'rev-parse', 'main'));
});

test('a token that GitHub ended early is replaced once; without an installation the credential is rejected', async () => {
  const { fake, source, repository } = connected;
  await source.find(repository);
  for (const token of fake.grants.tokens()) fake.grants.revoke(token);
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
  for (const token of fake.grants.tokens()) fake.grants.revoke(token);
  fake.grants.app.isInstalled = false;
  await expect(source.find(repository)).rejects.toBeInstanceOf(CredentialRejected);
  await expect(source.verify(repository)).rejects.toBeInstanceOf(CredentialRejected);
  fake.grants.app.isInstalled = true;
});

test("an App's health names its account and what its installation lacks", async () => {
  const { fake, source, repository } = connected;
  expect(await source.verify(repository)).toEqual({ account: 'guildhall[bot]', missingPermissions: [] });
  fake.grants.app.permissions = { metadata: 'read', contents: 'write', pull_requests: 'read' };
  expect(await source.verify(repository)).toEqual({
    account: 'guildhall[bot]',
    missingPermissions: ['actions: write', 'checks: write', 'issues: write', 'pull_requests: write', 'statuses: write'],
  });
  fake.grants.app.suspendedAt = '2026-01-01T00:00:00Z';
  await expect(source.verify(repository)).rejects.toThrow('is suspended');
  fake.grants.app.suspendedAt = null;
  fake.grants.app.permissions = { metadata: 'read', contents: 'write', pull_requests: 'write', issues: 'write' };
});

test('a wrong private key says what to do, without the key', async () => {
  const { source, repository, state } = connected;
  state.credential = { kind: 'app', appId: '1', installationId: '2', privateKey: '-----BEGIN secret-----' };
  await expect(source.verify(repository)).rejects.toMatchObject({
    retryable: false,
    message: "The App's private key must be an RSA key in PEM. Give the connection a new one.",
    cause: undefined,
  });
});

test('a clock that differs is not a rejected App', async () => {
  const { fake, source, repository } = connected;
  fake.fail({
    path: /^\/app$/,
    answer: { status: 401, body: `{"message":"'Expiration time' claim ('exp') is too far"}` },
  });
  await expect(source.verify(repository)).rejects.toMatchObject({
    name: 'ProviderError',
    message: expect.stringContaining("Correct this machine's clock."),
  });
});

test('a token is verified: a classic one by its scopes, a fine-grained one by what it may do', async () => {
  const { fake, source, repository, state } = connected;
  const verify = (grant: Parameters<typeof fake.grants.add>[0]) => {
    state.credential = { kind: 'token', token: fake.grants.add(grant) };
    return source.verify(repository);
  };
  const login = 'ada';
  expect(await verify({ login, scopes: ['repo', 'workflow'] })).toEqual({ account: login, missingPermissions: [] });
  expect(await verify({ login, scopes: ['public_repo'] })).toEqual({ account: login, missingPermissions: ['repo'] });
  const permissions = { metadata: 'read', contents: 'write', pull_requests: 'write', statuses: 'write' };
  expect(await verify({ login, permissions })).toEqual({ account: login, missingPermissions: [] });
  expect(await verify({ login, permissions: { ...permissions, contents: 'read', pull_requests: 'read' } })).toEqual({
    account: login,
    missingPermissions: ['contents: write', 'pull_requests: write'],
  });
  expect(fake.repository('acme/app').pulls).toEqual([]);
});

test('a revoked token is rejected, and the error has no credential', async () => {
  const { fake, source, repository, state } = connected;
  const token = fake.grants.add({ login: 'ada', scopes: ['repo'] });
  state.credential = { kind: 'token', token };
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
  fake.grants.revoke(token);
  const error: unknown = await source.find(repository).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CredentialRejected);
  expect(JSON.stringify(error) + String(error)).not.toContain(token);
});
