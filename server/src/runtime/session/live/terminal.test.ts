import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLiveFixture, organization, type LiveFixture } from '../../../../test/support/live-sessions.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import type { TestEvent } from '../../../../test/support/sessions.ts';
import { start } from '../../../../test/support/session-states.ts';
import { HandshakeRefused } from '../../../../test/support/terminals.ts';
import { withSandboxes } from '../../../../test/support/worker.ts';
import type { Sandbox } from '../../../adapters/sandbox/port.ts';
import { issueSessionKey } from '../../../features/sessions/run/session-key-service.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await createLiveFixture();
});
beforeEach(() => fixture.worker());
afterAll(() => fixture.close());

const outputOf = (events: readonly TestEvent[], commandId: unknown): string =>
  events
    .filter(({ kind, data }) => kind === 'output' && data['command_id'] === commandId)
    .map(({ data }) => String(data['text']))
    .join('');

/** Returns the events of a terminal's start and end. */
async function recorded(id: string): Promise<TestEvent[]> {
  return (await fixture.events(id)).filter(({ kind, data }) => kind === 'command' && data['created_by'] !== undefined);
}

async function refusal(opening: Promise<unknown>): Promise<[number, string]> {
  const error = await opening.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HandshakeRefused)) throw new Error('it was not refused', { cause: error });
  return [error.status, String(JSON.parse(error.body).error)];
}

describe('a terminal', () => {
  test("is a person's shell in the sandbox, recorded under their name, and its work is the session's", async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const { id } = await fixture.live({ repository });
    const terminal = await fixture.terminal(id, { query: '?cols=120&rows=40' });
    terminal.type('stty size; pwd; echo 42 > answer; cat answer\n');
    await terminal.shows(/40 120\r\n\/workspace.*\r\n42\r\n/);
    terminal.send({ type: 'resize', cols: 90, rows: 25 });
    terminal.type('sleep 0.2; stty size; exit 3\n');
    await terminal.shows(/25 90/);
    expect(await terminal.closed).toEqual({ code: 1000, reason: 'The shell ended with exit code 3.' });
    await fixture.event(id, ({ kind, data }) => kind === 'command' && data['exit_code'] === 3);
    const [begun, ended] = await recorded(id);
    expect(begun?.data).toMatchObject({ command: 'bash', exit_code: null, created_by: { type: 'user' } });
    expect(ended?.data).toMatchObject({ exit_code: 3, created_by: { type: 'user' } });
    expect(outputOf(await fixture.events(id), begun?.data['command_id'])).toContain('40 120');
    expect(await fixture.audited(id)).toContain('session.terminal');
    // The next checkpoint has it, without any turn.
    await fixture.event(id, ({ kind, seq }) => kind === 'checkpoint' && seq > (begun?.seq ?? 0));
    const { json } = await fixture.api.call('GET', `${organization}/sessions/${id}/diff`);
    expect(JSON.stringify(json)).toContain('answer');
  });

  test('opens while a turn runs, and its work is delivered with the turn', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const prompt = script([{ run: 'until test -e ~/go; do sleep 0.1; done' }, { say: 'Done.' }]);
    const { id } = await fixture.create({ repository, prompt });
    await fixture.event(id, ({ kind, data }) => kind === 'command' && data['created_by'] === undefined);
    const terminal = await fixture.terminal(id);
    terminal.type('echo 43 > answer; touch ~/go; echo done-$((1+1))\n');
    await terminal.shows(/done-2/);
    await fixture.reaches(id, 'completed');
    const [request] = await fixture.changeRequests(repository);
    const clone = await fixture.clone(repository, request?.head_ref ?? '');
    expect(await fixture.git(clone, 'show', 'HEAD:answer')).toBe('43');
    // It outlives the turn, as the sandbox does.
    terminal.type('echo still-$((2+2))\n');
    await terminal.shows(/still-4/);
    terminal.socket.close();
  });

  test('opens from another process than the worker, and ends when either is gone', async () => {
    const { id } = await fixture.live();
    const other = await fixture.api.another();
    const { openTerminal } = await import('../../../../test/support/terminals.ts');
    const authorization = `Bearer ${fixture.api.adminKey}`;
    const terminal = await openTerminal(`${other.url}${organization}/sessions/${id}/terminal`, { authorization });
    terminal.type('sleep 7001 & echo up-$((1+1))\n');
    await terminal.shows(/up-2/);
    await other.close();
    expect((await terminal.closed).code).toBe(1001);
    await fixture.until(async () => ((await recorded(id)).length === 2 ? true : undefined), 'its end is recorded');
    const second = await fixture.terminal(id);
    second.type(`cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 700[1]'\n`);
    await second.shows(/[\r\n]0\r\n/);
    second.socket.terminate();
    await fixture.until(async () => ((await recorded(id)).length === 4 ? true : undefined), 'its end is recorded');
  });
});

describe('hostile use', () => {
  test('a program that prints for ever is slowed down, and stops at a key', async () => {
    const { id } = await fixture.live();
    const terminal = await fixture.terminal(id);
    const before = process.memoryUsage();
    terminal.type('cat /dev/zero\n');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 1024 * 1024);
    terminal.type('\u0003');
    terminal.type('echo "stopped $((40+2))"\n');
    await terminal.shows(/stopped 42/);
    terminal.socket.close();
    const [, ended] = await fixture.until(async () => {
      const found = await recorded(id);
      return found.length === 2 ? found : undefined;
    }, 'its end is recorded');
    expect(ended?.data['artifact_id']).toEqual(expect.stringMatching(/^art_/));
    const text = outputOf(await fixture.events(id), ended?.data['command_id']);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3 * 256 * 1024 + 1_024);
  });

  test('ten thousand resizes, and a client that reads nothing, cost little; a wrong message ends it', async () => {
    const { id } = await fixture.live();
    const terminal = await fixture.terminal(id);
    for (let at = 0; at < 10_000; at += 1) terminal.send({ type: 'resize', cols: (at % 900) + 1, rows: 20 });
    terminal.send({ type: 'resize', cols: 66, rows: 22 });
    terminal.type('sleep 0.2; stty size\n');
    await terminal.shows(/22 66/);
    for (const [message, code] of [
      ['{"type":"resize","cols":0,"rows":1}', 1008],
      ['{"type":"other"}', 1008],
      ['[', 1008],
      ['x'.repeat(1_000), 1008],
      ['x'.repeat(70_000), 1009],
    ] as const) {
      // The end of one before it may not be recorded yet, and four are open until then.
      const one = await fixture.until(async () => fixture.terminal(id).catch(() => undefined), 'a terminal is free');
      one.send(message);
      expect([message.slice(0, 20), (await one.closed).code]).toEqual([message.slice(0, 20), code]);
    }
    terminal.socket.close();
  });

  test('a session has four terminals at most', async () => {
    const { id } = await fixture.live();
    const open = await Promise.all([1, 2, 3, 4].map(() => fixture.terminal(id)));
    expect(await refusal(fixture.terminal(id))).toEqual([429, 'rate_limited']);
    for (const { socket } of open) socket.close();
    await fixture.until(async () => ((await recorded(id)).length === 8 ? true : undefined), 'their ends are recorded');
    (await fixture.terminal(id)).socket.close();
  });

  test('secrets are masked in what is shown and in what is recorded', async () => {
    const value = 'terces-fo-the-terminal-1';
    const { json } = await fixture.api.call('POST', `${organization}/secrets`, { body: { key: 'OF_ALL', value } });
    const { id } = await fixture.live();
    const terminal = await fixture.terminal(id);
    terminal.type('echo "it is $OF_ALL."; echo "$OF_ALL" | base64; echo "end $((1+1))"\n');
    await terminal.shows(/end 2/);
    expect(terminal.printed()).toContain('it is ********.');
    terminal.socket.close();
    await fixture.until(async () => ((await recorded(id)).length === 2 ? true : undefined), 'its end is recorded');
    for (const text of [terminal.printed(), JSON.stringify(await fixture.events(id))]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('base64').slice(0, 20));
    }
    await fixture.api.call('DELETE', `${organization}/secrets/${String(json['id'])}`);
  });
});

describe('who may open one', () => {
  test('a key with the scope run, for a session of its organization that has a sandbox', async () => {
    const { id } = await fixture.live();
    expect(await refusal(fixture.terminal(id, { key: '' }))).toEqual([401, 'unauthorized']);
    const reader = await fixture.api.keyWith(['sessions:read']);
    expect(await refusal(fixture.terminal(id, { key: reader }))).toEqual([403, 'forbidden']);
    const { key } = await fixture.api.createOrganization(`Other ${id}`);
    expect(await refusal(fixture.terminal(id, { key }))).toEqual([404, 'organization_not_found']);
    expect(await refusal(fixture.terminal('ses_none'))).toEqual([404, 'session_not_found']);
    expect(await refusal(fixture.terminal(id, { query: '?cols=0' }))).toEqual([400, 'invalid_request']);
    const plain = await fixture.api.call('GET', `${organization}/sessions/${id}/terminal`);
    expect([plain.status, plain.json['error']]).toEqual([426, 'upgrade_required']);
    const idle = await fixture.api.call('POST', `${organization}/sessions`, {
      body: { prompt: 'x', agent_id: 'none' },
    });
    expect(idle.status).toBe(404);
    const machine = await fixture.api.keyWith(['run']);
    (await fixture.terminal(id, { key: machine })).socket.close();
  });

  test('not one without a sandbox, which says what to do', async () => {
    const { id } = await fixture.run({ agent: { steps: [{ run: 'true' }], summary: '' } });
    const plain = await fixture.api.call('GET', `${organization}/sessions/${id}/terminal`);
    expect([plain.status, plain.json['error']]).toEqual([409, 'sandbox_not_running']);
    expect(plain.json['message']).toContain('Send it a message');
    expect(await refusal(fixture.terminal(id))).toEqual([409, 'sandbox_not_running']);
  });

  test("not the session's own key", async () => {
    await fixture.stopWorkers();
    const made = await fixture.api.call('POST', `${organization}/sessions`, { body: { prompt: 'x' } });
    const run = await start(fixture.api, String(made.json['id']));
    const { key } = await issueSessionKey(fixture.api.ctx, run);
    expect(await refusal(fixture.terminal(run.id, { key }))).toEqual([403, 'forbidden']);
    await fixture.api.call('POST', `${organization}/sessions/${run.id}/cancel`, { body: {} });
  });

  test('a cookie only from our own pages', async () => {
    const { id } = await fixture.live();
    const cookie = await fixture.signIn();
    const by = (headers: Record<string, string>) => fixture.terminal(id, { key: '', headers: { cookie, ...headers } });
    expect(await refusal(by({ origin: 'https://evil.example' }))).toEqual([403, 'forbidden']);
    expect(await refusal(by({ origin: 'null' }))).toEqual([403, 'forbidden']);
    expect(await refusal(by({ origin: fixture.api.url, 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'forbidden']);
    const terminal = await by({ origin: fixture.api.url });
    terminal.type('echo "hello $((1+1))"\n');
    await terminal.shows(/hello 2/);
    const csrf = { cookie, 'x-guildhall-csrf': '1' };
    await fixture.api.call('POST', '/v3/auth/sign-out', { key: '', headers: csrf, body: {} });
    expect((await terminal.closed).code).toBe(4401);
  });

  test("nobody but its creator where the creator's own secrets are, or would come", async () => {
    const orgId = String((await fixture.api.call('GET', organization)).json['id']);
    const other = await personalKey(fixture.api, orgId, await join(fixture.api, orgId, 'member'));
    const before = await fixture.live();
    // No own secrets: the shell of another member is welcome, and keeps them out from now on.
    const guest = await fixture.terminal(before.id, { key: other });
    const body = { key: 'MINE', value: 'terces-of-my-own-1', scope: 'user' };
    const { json } = await fixture.api.call('POST', `${organization}/secrets`, { body });
    const content = script([{ run: 'echo "mine: ${MINE:-none}"' }, { say: 'Done.' }]);
    await fixture.api.call('POST', `${organization}/sessions/${before.id}/messages`, { body: { content } });
    await fixture.event(
      before.id,
      ({ kind, data }) => kind === 'output' && String(data['text']).includes('mine: none'),
    );
    guest.socket.close();
    const after = await fixture.live();
    expect(await refusal(fixture.terminal(after.id, { key: other }))).toEqual([403, 'forbidden']);
    const terminal = await fixture.terminal(after.id);
    terminal.type('echo "mine: ${#MINE}"\n');
    await terminal.shows(/mine: 18/);
    terminal.socket.close();
    await fixture.api.call('DELETE', `${organization}/secrets/${String(json['id'])}`);
  });
});

describe('an open terminal ends', () => {
  test('within seconds when its key is revoked, or the role of its person no longer has the scope', async () => {
    const { id } = await fixture.live();
    const orgId = String((await fixture.api.call('GET', organization)).json['id']);
    const userId = await join(fixture.api, orgId, 'member');
    const key = await personalKey(fixture.api, orgId, userId);
    const one = await fixture.terminal(id, { key });
    const two = await fixture.terminal(id, { key: await personalKey(fixture.api, orgId, userId) });
    await fixture.api.ctx.db.pool.query(
      `with gone as (update api_keys set revoked_at = now() where id = (select max(id) from api_keys) returning id)
       select pg_notify('guildhall_keys', id) from gone`,
    );
    expect((await two.closed).code).toBe(4401);
    const startedAt = performance.now();
    const changed = await fixture.api.call('PATCH', `${organization}/members/${userId}`, {
      body: { permission: 'viewer' },
    });
    expect(changed.status).toBe(200);
    expect((await one.closed).code).toBe(4401);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('when the worker drains, and says so; its work is kept', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const worker = await fixture.worker({ id: 'drained' });
    const { id } = await fixture.live({ repository });
    const terminal = await fixture.terminal(id);
    terminal.type('echo 44 > answer; echo "done $((1+1))"\n');
    await terminal.shows(/done 2/);
    await worker.drain(20_000);
    expect(await terminal.closed).toEqual({ code: 1001, reason: 'The worker is stopping. Open the terminal again.' });
    const { json } = await fixture.api.call('GET', `${organization}/sessions/${id}/diff`);
    expect(JSON.stringify(json)).toContain('answer');
    expect(await recorded(id)).toHaveLength(2);
  });

  test('when the sandbox ends or the session is deleted, and says so', async () => {
    const sandboxes: Sandbox[] = [];
    await fixture.worker({ id: 'lossy', change: withSandboxes((one) => sandboxes.push(one)) });
    const { id } = await fixture.live();
    const terminal = await fixture.terminal(id);
    await sandboxes.at(-1)?.stop();
    expect(await terminal.closed).toEqual({ code: 4410, reason: 'The sandbox ended: stopped.' });
    const second = await fixture.live();
    const other = await fixture.terminal(second.id);
    const removed = await fixture.api.call('DELETE', `${organization}/sessions/${second.id}`);
    expect(removed.status).toBe(204);
    expect([4410, 1011]).toContain((await other.closed).code);
  });

  test('when nothing is typed for long', async () => {
    await fixture.worker({ id: 'idle', terminalTimings: { idleMs: 1_500 } });
    const { id } = await fixture.live();
    const terminal = await fixture.terminal(id);
    terminal.type('while sleep 0.1; do echo busy; done\n');
    expect((await terminal.closed).code).toBe(4408);
  });
});
