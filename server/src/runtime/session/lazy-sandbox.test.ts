import { setTimeout as delay } from 'node:timers/promises';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import { openTerminal } from '../../../test/support/terminals.ts';
import { ProviderError } from '../../lib/errors.ts';
import { createLazySandbox } from './workspace/lazy-sandbox.ts';

const path = (id: string, rest = '') => `/v3/organizations/default/sessions/${id}${rest}`;

describe('the sandbox of a session without a repository', () => {
  let fixture: ModelFixture;
  let created: string[] = [];
  /** Called before a sandbox is created. */
  let before: () => Promise<void> = async () => {};

  beforeAll(async () => {
    fixture = await createModelFixture(undefined, {
      change: (ctx) => ({
        ...ctx,
        sandbox: {
          ...ctx.sandbox,
          async create(options) {
            created.push(options.id);
            await before();
            return ctx.sandbox.create(options);
          },
        },
      }),
    });
  });

  beforeEach(async () => {
    created = [];
    before = async () => {};
    await fixture.worker();
  });

  afterAll(() => fixture.close());

  const say = (id: string, content: string) => fixture.api.call('POST', path(id, '/messages'), { body: { content } });
  const provisioned = async (id: string) =>
    (await fixture.events(id)).flatMap(({ kind, data }) =>
      kind === 'provisioning' ? [`${String(data['step'])} ${String(data['status'])}`] : [],
    );

  test('is not started for replies; it starts with the first tool, and stays', async () => {
    const { id } = await fixture.create({ prompt: script([{ say: 'Hello.' }]) });
    expect(await fixture.reaches(id, 'completed')).toMatchObject({
      sandbox_state: 'ready',
      sandbox: { driver: 'bubblewrap' },
    });
    await say(id, script([{ say: 'Hello again.' }]));
    await fixture.reaches(id, 'completed');
    expect([created, await provisioned(id)]).toEqual([[], []]);
    await say(id, script([{ run: 'echo kept > file' }, { say: 'I wrote it.' }]));
    await fixture.reaches(id, 'completed');
    await say(id, script([{ run: 'cat file' }, { say: 'I read it.' }]));
    await fixture.reaches(id, 'completed');
    expect(created).toHaveLength(1);
    expect(await provisioned(id)).toEqual(['sandbox running', 'sandbox passed']);
    const printed = (await fixture.events(id)).filter(({ kind }) => kind === 'output').map(({ data }) => data['text']);
    expect(printed.join('')).toContain('kept');
  });

  test('starts when a person opens a terminal', async () => {
    const { id } = await fixture.create({ prompt: script([{ say: 'Hello.' }]) });
    await fixture.reaches(id, 'completed');
    const { url, adminKey } = fixture.api;
    const terminal = await openTerminal(`${url}${path(id, '/terminal')}`, { authorization: `Bearer ${adminKey}` });
    terminal.type('echo it is $((40 + 2))\n');
    await terminal.shows(/it is 42/);
    expect(created).toHaveLength(1);
    terminal.socket.close();
  });

  test('that does not start is replaced once, and then ends the session with the reason', async () => {
    before = () => Promise.reject(new ProviderError('There is no disk.', { retryable: true }));
    const { id } = await fixture.create({ prompt: script([{ run: 'true' }, { say: 'Done.' }]) });
    expect(await fixture.reaches(id, 'failed')).toMatchObject({
      status_detail: 'sandbox_lost',
      error: { code: 'sandbox_lost', message: 'There is no disk.' },
    });
    expect(created).toHaveLength(4);
    const step = ['sandbox running', 'sandbox failed'];
    expect(await provisioned(id)).toEqual([...step, ...step]);
  });

  test('whose start was interrupted starts again in the next turn', async () => {
    let isSlow = true;
    before = async () => {
      if (isSlow) await delay(3_000);
    };
    const { id } = await fixture.create({ prompt: script([{ run: 'true' }, { say: 'Done.' }]) });
    await expect.poll(() => created.length, { timeout: 20_000 }).toBe(1);
    await fixture.api.call('POST', path(id, '/interrupt'), { body: {} });
    await fixture.reaches(id, 'waiting');
    isSlow = false;
    await say(id, script([{ run: 'echo again' }, { say: 'Done again.' }]));
    await fixture.reaches(id, 'completed');
    expect(created.length).toBeGreaterThan(0);
  });
});

describe('a lazy sandbox', () => {
  const places = { workspace: '/workspace', home: '/home/agent', gatewayUrl: 'http://127.0.0.1:3128' };

  test('that was never used ends without a start', async () => {
    let starts = 0;
    const sandbox = createLazySandbox('one', places, () => {
      starts += 1;
      return Promise.reject(new Error('It is not to be started.'));
    });
    await sandbox.destroy();
    expect(await sandbox.ended).toEqual({ reason: 'destroyed', detail: 'it was destroyed' });
    await expect(sandbox.exec({ command: 'true', timeoutMs: 1_000 })).rejects.toThrow(ProviderError);
    expect([starts, sandbox.isStarted]).toEqual([0, false]);
  });
});
