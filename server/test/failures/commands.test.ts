import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScriptRunner } from '../../src/adapters/agent/script/script-agent.ts';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { printedBy, told } from '../support/failures.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';

let fixture: RuntimeFixture;
/** The way that this machine limits a sandbox's disk. */
let disk = '';

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  const { ctx } = await fixture.startWorker({ slots: 2, change: narrow });
  disk = (await ctx.sandbox.probe()).isolation.disk;
});

afterAll(async () => {
  await fixture.close();
});

const limits = { cpu: 1, memory_mb: 256, disk_mb: 96, pids: 64 };

const patient = createScriptRunner();
const hasty = createScriptRunner({ stepTimeoutMs: 3_000 });

/** Limits sandboxes so that a test can exhaust them, and shortens timeouts for long sleeps. */
function narrow(ctx: WorkerContext): WorkerContext {
  return {
    ...ctx,
    agents: {
      script: {
        ...patient,
        start: (options) =>
          (JSON.stringify(options.settings.runtimeConfig).includes('sleep 600') ? hasty : patient).start(options),
      },
    },
    sandbox: { ...ctx.sandbox, create: (options) => ctx.sandbox.create({ ...options, limits }) },
  };
}

const goesOn = { run: 'echo 42 > answer; echo went on' };
const verify_command = 'grep -q 42 answer';

async function runs(run: string, more: object[] = [goesOn]) {
  const repository = await fixture.repository({ answer: '41\n' });
  const steps = [{ run, allow_failure: true }, ...more];
  const session = await fixture.run({ repository, agent: { steps, summary: '' }, verify_command });
  return { repository, session, events: await fixture.events(session.id) };
}

const fine = ['queued', 'provisioning', 'running working', 'running verifying', 'running delivering'];
const done = { status: 'completed', status_detail: 'finished', verification: 'fixed', attempt_no: 1, error: null };

function exits(events: Awaited<ReturnType<typeof runs>>['events'], phase = 'implement') {
  return events
    .filter(({ kind, data }) => kind === 'command' && data['phase'] === phase && data['exit_code'] !== null)
    .map(({ data }) => data['exit_code']);
}

describe.concurrent('a command', () => {
  test('that prints 100 MB is shown up to 256 KiB, kept whole, and the session goes on', async () => {
    const { session, events } = await runs('head -c 100000000 /dev/zero | tr "\\0" y');
    expect(session).toMatchObject(done);
    expect(told(events)).toEqual([
      ...fine.slice(0, 3),
      expect.stringMatching(
        /^warning output_truncated: `head -c .+` wrote more than 256 KiB.+ command-1-1\.log \(art_\w+\)/,
      ),
      ...fine.slice(3),
      'completed finished',
    ]);
    const artifact = events.find(({ kind, data }) => kind === 'artifact' && data['name'] === 'command-1-1.log');
    expect(artifact?.data).toMatchObject({ size_bytes: 100_000_000 });
    expect(exits(events)).toEqual([0, 0]);
  });

  test('that never ends is stopped with all it started, and the session goes on', async () => {
    const { session, events } = await runs(
      "trap '' TERM; (setsid sleep 600 &) ; echo begun; while :; do sleep 1; done",
    );
    expect(session).toMatchObject(done);
    expect(exits(events)).toEqual([124, 0]);
    expect(printedBy(events)).toBe('begun\nwent on\n');
    expect(told(events)).toEqual([...fine, 'completed finished']);
  });

  test('that never ends and is needed ends the session, which says how long it had', async () => {
    const { session, events } = await runs('true', [{ run: 'sleep 600' }]);
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error' });
    expect(told(events).slice(-2)).toEqual([
      'error agent_error: Step 2 of 2, `sleep 600`, timed out after 3 s (exit code 124).',
      'failed agent_error',
    ]);
  });

  test('that forks without bound is ended before the next one, which is told of, and the session goes on', async () => {
    const { session, events } = await runs('bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 1');
    expect(session).toMatchObject(done);
    expect(printedBy(events)).toContain('went on\n');
    const ended = expect.stringMatching(
      /^warning processes_ended: \d+ processes that earlier commands had left behind were ended: no more than 64 fit into the sandbox\.$/,
    );
    expect(told(events)).toEqual([...fine.slice(0, 3), ended, ...fine.slice(3), 'completed finished']);
  });

  test('that takes all memory is ended, and the session goes on', async () => {
    const { session, events } = await runs('head -c 2000000000 /dev/zero | tail | wc -c');
    expect(session).toMatchObject(done);
    expect(printedBy(events)).not.toContain('2000000000');
    expect(told(events)).toEqual([...fine, 'completed finished']);
  });

  test('that takes all memory and is needed ends the session, which says so', async () => {
    const hungry = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1))"';
    const { session, events } = await runs('true', [{ run: hungry }]);
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error' });
    expect(told(events).slice(-2)).toEqual([
      `error agent_error: Step 2 of 2, \`${hungry}\`, ran out of memory (exit code 137).`,
      'failed agent_error',
    ]);
  });

  test('that fills the disk outside of the work tree fails, and the session goes on when there is room again', async (context) => {
    if (disk !== 'image') context.skip('without root a sandbox has no disk of its own size');
    const { session, events } = await runs('head -c 500000000 /dev/zero > ~/full; echo $?; rm ~/full');
    expect(session).toMatchObject(done);
    expect(printedBy(events)).toContain('No space left on device');
  });

  test('that fills the disk and leaves it full ends the session, which says so', async (context) => {
    if (disk !== 'image') context.skip('without root a sandbox has no disk of its own size');
    // A large write ends before the last blocks are used.
    const fill = 'cat /dev/zero > ~/full; sync -f ~/full; dd if=/dev/zero bs=1k >> ~/full';
    const { session, events } = await runs(fill, [{ run: 'echo 42 > answer' }]);
    expect(session).toMatchObject({ status: 'failed', status_detail: 'agent_error' });
    expect(told(events).slice(-2)).toEqual([
      "error work_not_saved: Failed to save the work: the sandbox's disk is full.",
      'failed agent_error',
    ]);
  });
});
