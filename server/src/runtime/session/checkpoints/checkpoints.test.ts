import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../../../../test/support/sessions.ts';
import type { TestWorkerOptions } from '../../../../test/support/worker.ts';

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
});

afterEach(async () => {
  await fixture.stopWorkers();
});

afterAll(async () => {
  await fixture.close();
});

const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);

/** Returns the final content of a branch. */
async function delivered(repository: Parameters<RuntimeFixture['clone']>[0]): Promise<string> {
  const [request] = await fixture.changeRequests(repository);
  return readFile(join(await fixture.clone(repository, request?.head_ref ?? ''), 'answer'), 'utf8');
}

/** Returns a store that corrupts this session's blobs while the condition holds. */
function failing(isDown: (key: string) => boolean): NonNullable<TestWorkerOptions['change']> {
  return (ctx) => ({
    ...ctx,
    blobs: {
      ...ctx.blobs,
      put: async (key, content, options) => {
        if (isDown(key)) throw new Error('The disk is full.');
        return ctx.blobs.put(key, content, options);
      },
    },
  });
}

describe('what an agent remembers', () => {
  test('stays with work that was restored and then went on, so that no step is done again', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [
      { run: 'echo first >> answer' },
      { run: 'n=$(cat count || echo 0); echo $((n + 1)) > count; echo here$n; [ $n = 2 ] || sleep 300; rm count' },
    ];
    await fixture.startWorker();
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    for (const text of ['here0', 'here1']) {
      await fixture.event(id, printed(text));
      await fixture.stopWorkers();
      await fixture.startWorker();
    }
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 3 });
    expect(await delivered(repository)).toBe('41\nfirst\n');
  });

  test('is believed only with its seal: write access to the blob store decides no step', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo first >> answer' }, { run: 'echo here; sleep 300' }, { run: 'echo last >> answer' }];
    await fixture.startWorker();
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    await fixture.event(id, printed('here'));
    await fixture.stopWorkers();
    const { blobs } = fixture.api.ctx;
    for await (const { key } of blobs.list('checkpoints/'))
      if (key.includes(`/${id}/`) && key.endsWith('.state'))
        await blobs.put(key, Buffer.from(JSON.stringify({ turn: 1, state: { turn: 1, finishedSteps: 3 } })));
    await fixture.startWorker();
    const session = await fixture.reaches(id, 'completed', 'failed');
    expect(session).toMatchObject({ status: 'failed', change_requests: [] });
    expect(session.error?.message).toContain('was changed in the blob store');
  });

  test('is not told with work that is older than it', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [
      { run: 'echo first >> answer' },
      { run: 'echo second >> answer' },
      { run: 'true' },
      { run: 'echo here; sleep 3' },
    ];
    let bundles = 0;
    const isBundle = (key: string): boolean => /^checkpoints\/.*\d$/.test(key);
    // The first step's work is kept, not that of later ones; the agent's records may be.
    await fixture.startWorker({ change: failing((key) => isBundle(key) && (bundles += 1) > 1) });
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    await fixture.event(id, printed('here'));
    await fixture.api.ctx.db.pool.query(
      `update sessions set fence = fence + 1, lease_until = now() - interval '1 second' where id = $1`,
      [id],
    );
    await fixture.stopWorkers();
    await fixture.startWorker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(await delivered(repository)).toBe('41\nfirst\nsecond\n');
  });
});

test('a file that git in the sandbox was told to make larger than one may be ends the session with the reason', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const enlarge = 'git --git-dir="$HOME/.guildhall/git-0" config filter.x.clean "head -c 136314880 /dev/zero"';
  const steps = [
    { run: 'echo 42 > answer' },
    { run: `${enlarge} && echo "large filter=x" > .gitattributes && echo small > large` },
  ];
  await fixture.startWorker();
  const { error } = await fixture.run({ repository, agent: { steps, summary: '' } });
  expect(error).toMatchObject({ code: 'work_not_saved' });
  expect(error?.message).toContain('a file has 136,314,880 bytes; at most 104,857,600 are allowed');
});

test('a file that is too large to deliver is left out, with a warning that says why', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const steps = [{ run: 'echo 42 > answer; truncate --size 101M large' }];
  await fixture.startWorker();
  const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
  const { status, phases } = await fixture.reaches(id, 'completed', 'failed');
  expect([status, phases.find(({ name }) => name === 'implement')?.summary]).toEqual([
    'completed',
    expect.stringContaining('Files left out: 1;'),
  ]);
  expect(await delivered(repository)).toBe('42\n');
  const [request] = await fixture.changeRequests(repository);
  expect(request?.body).toMatch(/## Files left out\n\n.*larger than 100 MiB.*\n\n- `large`\n/);
  const { data } = await fixture.event(id, ({ kind }) => kind === 'warning');
  expect(data).toMatchObject({
    code: 'files_skipped',
    message: expect.stringMatching(/omit files that are larger than 100 MiB.*: large$/),
  });
});

test('the proof of a turn stays when a message that came meanwhile begins one that changes nothing', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  await fixture.startWorker();
  const steps = [{ run: 'echo here; sleep 1; echo 42 > answer' }];
  const { id } = await fixture.create({
    repository,
    agent: { steps, summary: '' },
    verify_command: 'grep -q 42 answer',
  });
  await fixture.event(id, printed('here'));
  await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/messages`, { body: { content: 'And?' } });
  const ended = await fixture.reaches(id, 'completed', 'failed');
  expect(ended).toMatchObject({ status: 'completed', verification: 'fixed' });
  expect((await fixture.events(id)).at(-1)).toMatchObject({ turn: 2 });
});

test('the proof of a turn stays when its worker is lost between the delivery and the end', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  await fixture.startWorker();
  const agent = { steps: [{ run: 'echo 42 > answer' }], summary: '' };
  const { id } = await fixture.run({ repository, agent, verify_command: 'grep -q 42 answer' });
  await fixture.stopWorkers();
  // The state after the second to last write of its worker.
  await fixture.api.ctx.db.pool.query("update sessions set status = 'queued' where id = $1", [id]);
  await fixture.api.ctx.db.pool.query(
    `update sessions set status = 'running', status_detail = 'delivering', turn_ended = false, verification = '', ended_at = null,
       dispatched = true, lease_owner = 'lost', lease_until = now() - interval '1 second' where id = $1`,
    [id],
  );
  await fixture.startWorker();
  expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ attempt_no: 2, verification: 'fixed' });
  expect(await fixture.changeRequests(repository)).toHaveLength(1);
});
