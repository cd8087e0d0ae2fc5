import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startProxy, told, type HttpProxy } from '../support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';
import { openSourceControl } from '../../src/app/context.ts';
import type { WorkerContext } from '../../src/runtime/context.ts';

let fixture: RuntimeFixture;
let host: HttpProxy;

beforeAll(async () => {
  fixture = await createRuntimeFixture({ GUILDHALL_CLONE_MAX: '1MiB' }, undefined, { slots: 4, change: overProxy });
  host = await startProxy(fixture.api.url);
});
beforeEach(() => fixture.worker());

afterAll(async () => {
  await fixture.close();
  await host.close();
});

function overProxy(ctx: WorkerContext): WorkerContext {
  return {
    ...ctx,
    sourceControl: openSourceControl(ctx, () => host.url),
  };
}

const organization = '/v3/organizations/default';
const agent = { steps: [{ run: 'echo 42 > answer' }], summary: '' };
const files = { answer: '41\n' };

describe('a repository', () => {
  test('that is unknown is refused at once, by its name', async () => {
    const body = { prompt: 'Fix it.', repositories: [{ repo: 'acme/unknown' }] };
    const { status, json } = await fixture.api.call('POST', `${organization}/sessions`, { body });
    expect([status, json['error']]).toEqual([404, 'repository_not_found']);
    expect(json['message']).toBe('No repository "acme/unknown" exists here.');
    const { json: list } = await fixture.api.call('GET', `${organization}/sessions`);
    expect(list['items']).toEqual([]);
  });

  test('whose ref does not exist ends the session, which says which ref', async () => {
    const { repo } = await fixture.repository(files);
    const session = await fixture.run({ repositories: [{ repo, ref: 'release/9' }], agent });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'clone_failed' });
    expect(told(await fixture.events(session.id)).slice(-2)).toEqual([
      `error clone_failed: The repository ${repo} has no branch, tag or commit "release/9".`,
      'failed clone_failed',
    ]);
  });

  test('that is larger than what is copied ends the session at once, which says the limit and what to do', async () => {
    const { repo } = await fixture.repository({ 'large.txt': randomBytes(3 * 1024 ** 2).toString('base64') });
    const session = await fixture.run({ repositories: [{ repo }], agent });
    expect(session).toMatchObject({ status: 'failed', status_detail: 'clone_failed', attempt_no: 1 });
    expect(told(await fixture.events(session.id)).slice(-2)).toEqual([
      `error clone_failed: Failed to clone the repository ${repo}: The repository is larger than the 1 MiB that ` +
        'Guildhall copies. Remove large files from its history, or ask the operator for a larger limit (GUILDHALL_CLONE_MAX).',
      'failed clone_failed',
    ]);
  });

  test('that was deleted before a worker came ends the session', async () => {
    const { id, repo } = await fixture.repository(files);
    const worker = await fixture.pauseWorkers();
    const session = await fixture.create({ repositories: [{ repo }], agent });
    await fixture.api.call('DELETE', `${organization}/repositories/${id}`);
    await worker.resume();
    expect(await fixture.reaches(session.id, 'failed')).toMatchObject({ status_detail: 'clone_failed' });
    expect(told(await fixture.events(session.id))).toEqual([
      'queued',
      'provisioning',
      `error clone_failed: The repository ${repo} was deleted.`,
      'failed clone_failed',
    ]);
  });
});

describe('a git host', () => {
  test('that is down for a moment delays the session, and no more', async () => {
    const repository = await fixture.repository(files);
    const before = host.refusedCalls();
    host.down = true;
    const { id } = await fixture.create({ repository, agent });
    await fixture.until(async () => (host.refusedCalls() > before ? true : undefined), 'a call that was refused');
    host.down = false;
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', attempt_no: 1 });
    const clone = await fixture.clone(repository, session.repositories[0]?.branch ?? '');
    expect(await readFile(join(clone, 'answer'), 'utf8')).toBe('42\n');
  });

  test('that stays down is tried three times, and the session says which address answered what', async () => {
    const repository = await fixture.repository(files);
    host.down = true;
    const session = await fixture.run({ repository, agent });
    host.down = false;
    expect(session).toMatchObject({ status: 'failed', status_detail: 'clone_failed', attempt_no: 3 });
    const problem = `could not fetch ${repository.repo} from ${fixture.api.url} (GUILDHALL_URL): git clone failed: The git host responded with status 503`;
    const lines = told(await fixture.events(session.id));
    expect(lines.filter((line) => line.startsWith('warning attempt_failed') && line.includes(problem))).toHaveLength(2);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^error clone_failed: The worker .+ 3 consecutive attempts failed or lost their worker\.$/),
      'failed clone_failed',
    ]);
  });
});
