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

/** Returns every object that a session's sandbox can list. */
async function objectsOf(repository: TestRepository): Promise<string> {
  const run = 'git cat-file --batch-all-objects --batch-check; git fsck --connectivity-only >&2';
  const session = await fixture.run({
    repositories: [{ repo: repository.repo }],
    agent: { steps: [{ run }], summary: '' },
  });
  expect(session.error).toBeNull();
  const events = await fixture.events(session.id);
  const said = events.filter(
    ({ kind, phase, data }) => kind === 'output' && phase === 'implement' && data['stream'] === 'stdout',
  );
  return said.map(({ data }) => String(data['text'])).join('');
}

test('what was pushed and taken back is in no sandbox of a later session', async () => {
  const repository = await fixture.repository({ 'a.txt': 'a\n' });
  const clone = await fixture.clone(repository, 'main');
  await writeFile(join(clone, 'secret.txt'), 'hunter2\n');
  await fixture.git(clone, 'add', '-A');
  await fixture.git(clone, 'commit', '-q', '-m', 'a secret');
  const secret = await fixture.git(clone, 'rev-parse', 'HEAD:secret.txt');
  await fixture.git(clone, 'push', '-q', 'origin', 'main');
  expect(await objectsOf(repository)).toContain(secret.trim());
  await fixture.git(clone, 'push', '-q', '-f', 'origin', 'HEAD~1:main');
  const later = await objectsOf(repository);
  expect(later).toContain((await fixture.git(clone, 'rev-parse', 'HEAD~1')).trim());
  expect(later).not.toContain(secret.trim());
});
