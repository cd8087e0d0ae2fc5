// Must be imported before the server.
import { place } from '../support/hanging-place.ts';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { eventually } from '../support/child.ts';
import { told } from '../support/failures.ts';
import { hangingPrograms, type HangingPrograms } from '../support/hanging.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../support/sessions.ts';
import type { TestWorker } from '../support/worker.ts';

const agent = { steps: [{ run: 'echo 42 > answer' }], summary: '' };
const files = { answer: '41\n' };
const neverFound = 'never-found.example';

let fixture: RuntimeFixture;
let worker: TestWorker;
let installers: HangingPrograms;
let git: HangingPrograms;
let mirrorLimitMs: number;

beforeAll(async () => {
  installers = await hangingPrograms(join(place, 'installers'), ['npm', 'pip', 'pip3', 'python3']);
  git = await hangingPrograms(join(place, 'git'), ['git'], '*" clone --quiet --bare "*');
  git.hang(false);
  fixture = await createRuntimeFixture();
  worker = await fixture.startWorker({
    slots: 4,
    environment: { ...process.env, PATH: installers.path },
    gateway: { lookup: () => new Promise(() => undefined) },
    change: (ctx): WorkerContext => ({
      ...ctx,
      stepLimitsMs: {
        ...ctx.stepLimitsMs,
        get mirror() {
          return mirrorLimitMs;
        },
      },
    }),
  });
  mirrorLimitMs = worker.ctx.stepLimitsMs.setup;
});

afterAll(async () => {
  await fixture.close();
});

/** Returns the provisioning steps as shown to users. */
function steps(events: readonly TestEvent[]): string[] {
  return events
    .filter(({ kind }) => kind === 'provisioning')
    .map(({ data }) => [data['step'], data['subject'], data['status']].filter((part) => part !== '').join(' '));
}

describe('package managers of the host that hang', () => {
  test('are nothing to a session that installs nothing', async () => {
    const session = await fixture.run({ repositories: [], agent });
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished' });
    expect(steps(await fixture.events(session.id))).toEqual(['sandbox running', 'sandbox passed']);
  });

  test('are named to one that may install, which goes on without them', async () => {
    const { repo } = await fixture.repository(files, { setup_command: 'curl -s "${PIP_INDEX_URL}six/"' });
    const session = await fixture.run({ repositories: [{ repo }], agent });
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished' });
    const events = await fixture.events(session.id);
    expect(steps(events)).toEqual(
      expect.arrayContaining([
        'registries npm failed',
        'registries pip failed',
        `mirror ${repo} passed`,
        'setup running',
        'setup passed',
      ]),
    );
    const failed = events.find(
      ({ kind, data }) =>
        kind === 'provisioning' && data['summary'] !== '' && data['subject'] === 'pip' && data['status'] === 'failed',
    );
    expect(failed?.data['summary']).toContain(
      'pip3 on this host did not respond and was terminated after 3 s. Sandboxes cannot install packages with pip',
    );
    await eventually(() => installers.running().length === 0, 'nothing of them is left');
  });
});

describe('git that hangs', () => {
  test('is seen by its step, ends with the session that is canceled, and leaves nothing behind', async () => {
    const { repo } = await fixture.repository(files);
    git.hang(true);
    const { id } = await fixture.create({ repositories: [{ repo }], agent });
    await fixture.until(async () => (git.running().length > 0 ? true : undefined), 'git that hangs');
    expect((await fixture.get(id)).status).toBe('provisioning');
    expect(steps(await fixture.events(id))).toContain(`mirror ${repo} running`);
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/cancel`);
    await fixture.reaches(id, 'canceled');
    git.hang(false);
    await eventually(() => git.running().length === 0, 'nothing of git is left');
  });

  test('fails the session when its time is over: which step, how long, and what to do', async () => {
    const { repo } = await fixture.repository(files);
    git.hang(true);
    mirrorLimitMs = 2_000;
    const session = await fixture.run({ repositories: [{ repo }], agent });
    git.hang(false);
    mirrorLimitMs = worker.ctx.stepLimitsMs.setup;
    expect(session).toMatchObject({ status: 'failed', status_detail: 'clone_failed' });
    const events = await fixture.events(session.id);
    expect(steps(events)).toEqual(expect.arrayContaining([`mirror ${repo} running`, `mirror ${repo} failed`]));
    expect(told(events).at(-2)).toBe(
      `error provisioning_timeout: The mirror of ${repo} on the worker was not updated within 2 seconds. Check that the worker can reach the repository's host, then resume the session.`,
    );
    await eventually(() => git.running().length === 0, 'nothing of git is left');
  });
});

test('a name that is never resolved holds up the command that asks for it, and no more', async () => {
  const path = '/v3/organizations/default/settings/sandbox';
  const { json: before } = await fixture.api.call('GET', path);
  await fixture.api.call('PUT', path, { body: { network: 'allowlist', allowed_hosts: [neverFound] } });
  const steps_ = [{ run: `git ls-remote https://${neverFound}/a.git 2>&1; echo "ended"` }];
  const session = await fixture.run({ repositories: [], agent: { steps: steps_, summary: '' } });
  await fixture.api.call('PUT', path, { body: { network: Object(before)['network'] } });
  expect(session).toMatchObject({ status: 'completed', status_detail: 'finished' });
  const output = (await fixture.events(session.id)).filter(({ kind }) => kind === 'output');
  expect(output.map(({ data }) => String(data['text'])).join('')).toMatch(/502[\s\S]*ended/);
});

test('a sandbox in the making when its session fails is removed', async () => {
  const { repo } = await fixture.repository(files);
  expect(await fixture.run({ repositories: [{ repo }], agent })).toMatchObject({ status: 'completed' });
  // The mirror exists, so the sandbox starts while the branch is resolved.
  const failed = await fixture.run({ repositories: [{ repo, ref: 'release/9' }], agent });
  expect(failed.status_detail).toBe('clone_failed');
  const sandboxes = join(worker.directory, 'sandboxes', 'sandboxes');
  expect(existsSync(sandboxes)).toBe(true);
  await fixture.until(async () => (worker.busy() === 0 ? true : undefined), 'the worker has given everything back');
  expect((await readdir(sandboxes)).filter((name) => name.startsWith(failed.id))).toEqual([]);
});
