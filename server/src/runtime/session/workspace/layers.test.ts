import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../../test/support/sessions.ts';

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker();
});
afterAll(() => fixture.close());

const spy = 'mkdir -p ~/.local/bin; printf "#!/bin/sh\\necho spied\\n" > ~/.local/bin/spy; chmod +x ~/.local/bin/spy\n';

/** Creates a repository whose setup depends on the commit, with constant dependencies. */
async function prepared(): Promise<{ repository: TestRepository; clone: string }> {
  const files = { 'setup.sh': 'echo honest >> ~/runs\n', 'package-lock.json': '{}\n' };
  const repository = await fixture.repository(files, { setup_command: 'sh setup.sh; date +%N >> ~/made' });
  return { repository, clone: await fixture.clone(repository, 'main') };
}

async function commit(clone: string, content: string): Promise<void> {
  await writeFile(join(clone, 'setup.sh'), content);
  await fixture.git(clone, 'commit', '-q', '-a', '-m', 'another setup');
}

/** Returns the setup's results in a session. */
async function found(repository: TestRepository, ref = 'main'): Promise<string> {
  const agent = { steps: [{ run: '~/.local/bin/spy; cat ~/made', allow_failure: true }], summary: '' };
  const session = await fixture.run({ repositories: [{ repo: repository.repo, ref }], agent });
  expect(session.error).toBeNull();
  const events = await fixture.events(session.id);
  const own = events.filter(
    ({ kind, phase, data }) => kind === 'output' && phase === 'implement' && data['stream'] === 'stdout',
  );
  return own.map(({ data }) => String(data['text'])).join('');
}

test('one setup serves the commits of the default branch with the same dependencies', async () => {
  const { repository, clone } = await prepared();
  const first = await found(repository);
  await writeFile(join(clone, 'other.txt'), 'x\n');
  await fixture.git(clone, 'add', '-A');
  await fixture.git(clone, 'commit', '-q', '-m', 'other');
  await fixture.git(clone, 'push', '-q', 'origin', 'main');
  expect(first).toMatch(/^\d+\n$/);
  expect(await found(repository)).toBe(first);
});

test('what the setup of another branch made is not found on the default branch', async () => {
  const { repository, clone } = await prepared();
  await commit(clone, spy);
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/evil');
  expect(await found(repository, 'evil')).toContain('spied');
  expect(await found(repository)).not.toContain('spied');
});

test('what the setup of a commit made that was on the default branch for a while is not found there afterwards', async () => {
  const { repository, clone } = await prepared();
  await commit(clone, spy);
  await fixture.git(clone, 'push', '-q', 'origin', 'main');
  expect(await found(repository)).toContain('spied');
  await fixture.git(clone, 'push', '-q', '-f', 'origin', 'HEAD~1:main');
  expect(await found(repository)).not.toContain('spied');
});

test('what the setup of a branch made that was the default for a while is not found afterwards', async () => {
  const { repository, clone } = await prepared();
  await commit(clone, spy);
  await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/evil');
  const path = `/v3/organizations/default/repositories/${repository.id}`;
  await fixture.api.call('PATCH', path, { body: { default_branch: 'evil' } });
  expect(await found(repository, 'evil')).toContain('spied');
  await fixture.api.call('PATCH', path, { body: { default_branch: 'main' } });
  expect(await found(repository)).not.toContain('spied');
});
