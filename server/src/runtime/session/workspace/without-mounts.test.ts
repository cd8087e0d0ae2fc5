import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestSession } from '../../../../test/support/sessions.ts';
import { createBubblewrapDriver } from '../../../adapters/sandbox/bubblewrap/driver.ts';
import { createProcessDriver } from '../../../adapters/sandbox/process/driver.ts';

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
});
afterAll(() => fixture.close());

/** Returns the output of a session's own steps. */
async function said({ id, error }: TestSession): Promise<string> {
  expect(error).toBeNull();
  const events = await fixture.events(id);
  const own = events.filter(
    ({ kind, phase, data }) => kind === 'output' && phase === 'implement' && data['stream'] === 'stdout',
  );
  return own.map(({ data }) => String(data['text'])).join('');
}

const verify_command = 'grep -q 42 answer';
const fix = { run: 'echo 42 > answer' };
const look = { run: 'cat .git/objects/info/alternates; git tag; git log --format=%s' };

describe('a driver that shows nothing of the host', () => {
  beforeAll(async () => {
    await fixture.worker({ sandbox: (options) => ({ ...createBubblewrapDriver(options), mounts: undefined }) });
  });

  test('has sessions that clone through the gateway, are proven, and deliver', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const clone = await fixture.clone(repository, 'main');
    await fixture.git(clone, 'tag', 'v1');
    await fixture.git(clone, 'push', '-q', 'origin', 'v1');
    const session = await fixture.run({ repository, agent: { steps: [look, fix], summary: '' }, verify_command });
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
    expect(await said(session)).toBe('/home/agent/.guildhall/mirror-0.git/objects\nv1\nfirst\n');
    expect(await fixture.changeRequests(repository)).toMatchObject([{ changed_files: 1, base_ref: 'main' }]);
  });

  test('finds what a setup left, and in it nothing that upstream took back', async () => {
    const setup_command = 'date +%N > ~/made';
    const repository = await fixture.repository({ answer: '41\n', 'package-lock.json': '{}\n' }, { setup_command });
    const clone = await fixture.clone(repository, 'main');
    await writeFile(join(clone, 'secret.txt'), 'hunter2\n');
    await fixture.git(clone, 'add', '-A');
    await fixture.git(clone, 'commit', '-q', '-m', 'a secret');
    const secret = await fixture.git(clone, 'rev-parse', 'HEAD:secret.txt');
    await fixture.git(clone, 'push', '-q', 'origin', 'HEAD:refs/heads/side');
    await fixture.git(clone, 'tag', 'tagged');
    await fixture.git(clone, 'push', '-q', 'origin', 'tagged');
    const all = 'cat ~/made; git cat-file --batch-all-objects --batch-check; git fsck --connectivity-only >&2';
    const agent = { steps: [{ run: all }], summary: '' };
    const before = await said(await fixture.run({ repository, agent }));
    expect(before).toContain(secret);
    await fixture.git(clone, 'push', '-q', 'origin', ':side', ':tagged');
    const after = await said(await fixture.run({ repository, agent }));
    expect(after).not.toContain(secret);
    expect(after.split('\n')[0]).toMatch(/^\d+$/);
    expect(after.split('\n')[0]).toBe(before.split('\n')[0]);
  });

  test('goes on where another worker stopped, from the newest checkpoint', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [fix, { run: 'git diff; test -e paused || { touch paused; echo begun; sleep 300; }' }];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' }, verify_command });
    await fixture.event(id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('begun'));
    await fixture.event(id, ({ kind }) => kind === 'checkpoint');
    await fixture.worker({ sandbox: (options) => ({ ...createBubblewrapDriver(options), mounts: undefined }) });
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', verification: 'fixed', attempt_no: 2 });
  });
});

test('sandboxes that reach the gateway over a network, and see nothing of the host, run sessions', async () => {
  await fixture.worker({ sandbox: (options) => ({ ...createProcessDriver(options), mounts: undefined }) });
  const repository = await fixture.repository({ answer: '41\n' });
  const session = await fixture.run({ repository, agent: { steps: [look, fix], summary: '' }, verify_command });
  expect(session).toMatchObject({ status: 'completed', verification: 'fixed' });
  expect(await said(session)).toMatch(/\/home\/\.guildhall\/mirror-0\.git\/objects\nfirst\n$/);
});
