import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostCredential } from '../../../src/adapters/source-control/connection.ts';
import { createGithubSourceControl } from '../../../src/adapters/source-control/github/source-control.ts';
import { openHostMirrors } from '../../../src/adapters/source-control/host-mirrors.ts';
import type { RepositoryRef } from '../../../src/adapters/source-control/port.ts';
import { createHostFetch } from '../../../src/gateway/net/host-fetch.ts';
import { createGitFixture } from '../../../src/git/git-fixture.ts';
import { createLog } from '../../../src/lib/log.ts';
import { startGithubFake } from './fake.ts';
import { instant } from './pulls.ts';
import { say } from './said.ts';

export const webhookSecret = 'the secret of the webhook';

/** The adapter, connected to a fake with the repository `acme/app`; `credential` may be replaced. */
export async function connectGithub(description?: 'api.github.com' | 'ghes-3.19') {
  const fake = await startGithubFake(description);
  const fixture = await createGitFixture();
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-mirrors-'));
  const there = await fake.create('acme/app');
  const { bare } = there;
  for (const [login, granted] of Object.entries({ ada: 'admin', bob: 'write', eve: 'read' }))
    there.collaborators.set(login, granted);
  const work = await fixture.work('work', { 'a.txt': 'one\n' });
  await fixture.client(work, 'push', '-q', '-f', bare.directory, 'main');
  const closing = new AbortController();
  const { app } = fake.grants;
  const state: { credential: HostCredential } = {
    credential: { kind: 'app', appId: app.id, privateKey: app.privateKey, installationId: app.installationId },
  };
  const fetch = createHostFetch({ egressAllow: [{ purpose: 'git', target: '127.0.0.1/32' }] });
  const source = createGithubSourceControl({
    connections: { open: async (ref) => ({ ...ref, url: fake.url, credential: state.credential }) },
    fetch,
    now: () => fake.now(),
    webhookSecrets: async () => [webhookSecret],
    mirrors: openHostMirrors({
      directory,
      remote: async (url) => ({ url, addresses: ['127.0.0.1'] }),
      maxBytes: 0,
      cloneBytes: 0,
      reserveBytes: 0,
      log: createLog('silent'),
      closing: closing.signal,
      freshMs: 0,
    }),
  });
  const repository: RepositoryRef = { orgId: 'org_1', connectionId: 'gc_1', id: 'repo_1', repo: 'acme/app' };
  return {
    fake,
    state,
    fixture,
    work,
    source,
    repository,
    unknown: { ...repository, id: 'repo_2', repo: 'acme/none' },
    async push(branch: string, file: string, content: string): Promise<string> {
      await fixture.client(work, 'checkout', '-q', '-B', branch, 'main');
      const head = await fixture.commit(work, { [file]: content });
      await fixture.client(work, 'push', '-q', bare.directory, branch);
      return head;
    },
    async pushMore(branch: string, file: string, content: string): Promise<string> {
      await fixture.client(work, 'checkout', '-q', branch);
      const head = await fixture.commit(work, { [file]: content });
      await fixture.client(work, 'push', '-q', bare.directory, branch);
      return head;
    },
    people: { ada: 'admin', bob: 'write', eve: 'read' } as const,
    timeStepMs: 1_000,
    async say(number: number, body: string) {
      return say(fake.world, there, number, { login: 'ada', isBot: false }, body);
    },
    async fail(sha: string, name: string, log: string) {
      const [id, runId] = [fake.world.nextId(), fake.world.nextId()];
      const completedAt = instant(fake.now());
      const ended = { status: 'COMPLETED', conclusion: 'FAILURE', completedAt, log, summary: '' } as const;
      there.checkRuns.push({ id, runId, sha, name, ...ended });
    },
    async hold() {
      there.requiredChecks.add('ci/required');
    },
    mergesItself: async (number: number) => there.autoMerging.has(number),
    async openIssue(title: string, body: string) {
      const number = there.pulls.length + there.issues.length + 1;
      const now = instant(fake.now());
      const author = { login: 'ada', isBot: false };
      there.issues.push({ id: fake.world.nextId(), number, title, body, author, createdAt: now, updatedAt: now });
      return number;
    },
    commitsOnMain: async () => Number(await bare.git('rev-list', '--count', 'main')),
    async close(): Promise<void> {
      closing.abort();
      await fake.close();
      await fixture.dispose();
      // Mirrors are tended in the background.
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
