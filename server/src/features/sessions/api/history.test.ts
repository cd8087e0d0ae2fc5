import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { checkpoint, sessionIn, start } from '../../../../test/support/session-states.ts';
import { secretsForSession } from '../../secrets/public.ts';
import { append, recordArtifact, type ClaimedRun } from '../run/run-service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', org)).json['id']);
});
afterAll(() => api.close());

const org = '/v3/organizations/default';
const sessions = `${org}/sessions`;

async function person(): Promise<{ id: string; key: string }> {
  const id = await join(api, orgId, 'member');
  return { id, key: await personalKey(api, orgId, id) };
}

async function running(body: object = {}): Promise<{ id: string; path: string; run: ClaimedRun }> {
  const { id, path } = await sessionIn(api, 'queued', { repositories: [], ...body });
  return { id, path, run: await start(api, id) };
}

/** Records a checkpoint with an empty diff and patch. */
async function save({ run, id }: { run: ClaimedRun; id: string }): Promise<void> {
  const blob = `checkpoints/${run.orgId}/${id}/1-1-0`;
  await api.ctx.blobs.put(`${blob}.diff`, Buffer.from('{"files":[\n]}'));
  await api.ctx.blobs.put(`${blob}.patch`, Buffer.alloc(0));
  await checkpoint(api, run, '', blob);
}

function command(text: string, exit_code: number | null, duration_ms: number | null): NewEvent {
  const data = {
    command_id: text,
    call_id: '',
    command: text,
    phase: '' as const,
    exit_code,
    duration_ms,
    artifact_id: null,
  };
  return { kind: 'command', data };
}

function output(text: string): NewEvent {
  return { kind: 'output', data: { command_id: 'c', call_id: '', stream: 'stdout', text } };
}

function agentSays(delta: string, done: boolean): NewEvent {
  return { kind: 'message', data: { message_id: 'm', role: 'agent', delta, done, state: 'delivered' } };
}

async function blobsOf(id: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.ctx.blobs.list('checkpoints/')) if (key.includes(id)) keys.push(key);
  return keys;
}

describe('checkpoints', () => {
  test('are listed newest first, page by page', async () => {
    const session = await running();
    for (const repo of ['acme/a', 'acme/b', 'acme/a']) await checkpoint(api, session.run, repo);
    const { json } = await api.call('GET', `${session.path}/checkpoints?first=2`);
    expect(json).toMatchObject({ total: 3, has_next_page: true, items: [{ repo: 'acme/a' }, { repo: 'acme/b' }] });
    const rest = await api.call('GET', `${session.path}/checkpoints?after=${String(json['end_cursor'])}`);
    expect(rest.json).toMatchObject({
      has_next_page: false,
      items: [{ repo: 'acme/a', turn: 1, commit: 'a'.repeat(40) }],
    });
  });
});

describe('a fork', () => {
  test('is like its session, belongs to its caller, and waits; nothing of the session changes', async () => {
    const asked = {
      title: 'Mend it',
      tags: ['bug'],
      metadata: { ticket: 7 },
      budget: { max_turns: 3 },
      knowledge_ids: [],
    };
    const session = await running(asked);
    await save(session);
    const before = (await api.call('GET', session.path)).json;
    const { key, id: userId } = await person();
    const { status, json } = await api.call('POST', `${session.path}/fork`, { key, body: {} });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      forked_from: session.id,
      status: 'waiting',
      status_detail: 'awaiting_user',
      attention: 'answer',
      title: 'Mend it',
      prompt: 'Do it.',
      tags: ['bug'],
      metadata: { ticket: 7 },
      origin: 'api',
      created_by: { type: 'user', id: userId },
      usage: { cost_usd: 0 },
    });
    expect((await api.call('GET', session.path)).json).toEqual(before);
    const messages = await api.call('GET', `${sessions}/${String(json['id'])}/messages`);
    expect(messages.json['total']).toBe(0);
    const { json: audit } = await api.call('GET', `${org}/audit-logs?action=session.create&first=1`);
    expect(audit).toMatchObject({ items: [{ resource: { id: json['id'] }, changes: { forked_from: session.id } }] });
  });

  test('needs a checkpoint at or before the event, and a prompt that is not blank', async () => {
    const session = await running();
    const fork = async (body: object) => {
      const { status, json } = await api.call('POST', `${session.path}/fork`, { body });
      return [status, json['error'], json['message']];
    };
    expect(await fork({})).toEqual([409, 'conflict', expect.stringContaining('no checkpoint yet')]);
    await save(session);
    expect(await fork({ seq: 1 })).toEqual([409, 'conflict', expect.stringContaining('at or before the event 1.')]);
    expect(await fork({ prompt: '  ' })).toEqual([400, 'prompt_required', expect.any(String)]);
    expect(await fork({ seq: 0 })).toEqual([400, 'invalid_request', expect.any(String)]);
  });

  test('of a session with personal secrets is for its creator alone', async () => {
    const [ada, bob] = [await person(), await person()];
    const mine = { key: 'MINE', value: 'v', scope: 'user' };
    const secret = await api.call('POST', `${org}/secrets`, { key: ada.key, body: mine });
    const made = await api.call('POST', sessions, { key: ada.key, body: { prompt: 'x', repositories: [] } });
    const id = String(made.json['id']);
    const run = await start(api, id);
    await secretsForSession(api.ctx, run);
    await save({ id, run });
    const fork = (key: string) => api.call('POST', `${sessions}/${id}/fork`, { key, body: {} });
    expect((await fork(bob.key)).json).toMatchObject({ error: 'forbidden' });
    const forked = await fork(ada.key);
    expect(forked.status).toBe(201);
    // Its work may contain the value, also when the secret is gone.
    const gone = await api.call('DELETE', `${org}/secrets/${String(secret.json['id'])}`, { key: ada.key });
    expect(gone.status).toBe(204);
    const say = (key: string) =>
      api.call('POST', `${sessions}/${String(forked.json['id'])}/messages`, { key, body: { content: 'x' } });
    expect((await say(bob.key)).json).toMatchObject({ error: 'forbidden' });
    expect((await say(ada.key)).status).toBe(202);
  });

  test('that is refused leaves no blobs', async () => {
    const session = await running({ tags: ['late'] });
    await save(session);
    await api.call('PUT', `${org}/settings/run_tags`, { body: { allowed: ['other'] } });
    const { status, json } = await api.call('POST', `${session.path}/fork`, { body: {} });
    await api.call('DELETE', `${org}/settings/run_tags`);
    expect([status, json['error']]).toEqual([400, 'tag_not_allowed']);
    const all: string[] = [];
    for await (const { key } of api.ctx.blobs.list('checkpoints/')) if (key.includes('/0-')) all.push(key);
    const { json: list } = await api.call('GET', `${sessions}?archived=any&first=200`);
    const known = new Set(Object(list['items']).map(({ id }: { id: string }) => id));
    expect(all.filter((key) => !known.has(key.split('/')[2]))).toEqual([]);
  });

  test('whose blobs are lost is 502', async () => {
    const session = await running();
    await checkpoint(api, session.run, '');
    const { status, json } = await api.call('POST', `${session.path}/fork`, { body: {} });
    expect([status, json['message']]).toEqual([502, expect.stringContaining('not in the blob store')]);
    expect(await blobsOf(session.id)).toEqual([]);
  });
});

describe('the transcript', () => {
  test('has each event as a line, with the pieces of a text merged over pages', async () => {
    const { path, run, id } = await running();
    const pieces = Array.from({ length: 450 }, (_, index) => agentSays(`${index} `, index === 449));
    for (let at = 0; at < pieces.length; at += 150) await append(api.ctx, run, pieces.slice(at, at + 150));
    const answer = await api.call('GET', `${path}/transcript`);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.jsonl"`);
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => Object(JSON.parse(line)));
    const said = lines.filter(({ data }) => data.role === 'agent');
    expect(said).toHaveLength(1);
    expect(said[0].data.delta).toBe(pieces.map((_, index) => `${index} `).join(''));
    expect(said[0].seq - said[0].seq_from).toBe(449);
    expect(lines.at(-1).seq).toBe((await api.call('GET', path)).json['last_seq']);
  });

  test('is a text to read as Markdown, in which outputs are shortened and cannot end their block', async () => {
    const { path, run } = await running({ title: 'Mend\tit' });
    await append(api.ctx, run, [
      agentSays('I look.', true),
      command('npm test', null, null),
      output(`\`\`\`\n# not a heading\n${'x'.repeat(9_000)}`),
      command('npm test', 1, 1_500),
      { kind: 'warning', data: { code: 'c', message: 'Beware.' } },
    ]);
    const answer = await api.call('GET', `${path}/transcript?format=md`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.text).toMatch(/^# Mend it\n/);
    expect(answer.text).toContain('## Agent, ');
    expect(answer.text).toContain('\n````\n```\n# not a heading\n');
    expect(answer.text).toMatch(/… \d+ characters left out …/);
    expect(answer.text).toContain('`npm test` ended with 1 after 1.5 s.');
    expect(answer.text).toContain('> **Warning:** Beware.');
    expect(answer.text.length).toBeLessThan(6_000);
  });

  test('has another format only if there is one', async () => {
    const { path } = await running();
    expect((await api.call('GET', `${path}/transcript?format=pdf`)).status).toBe(400);
  });
});

describe('insights', () => {
  test('count what the log has, and say what is worth knowing', async () => {
    const { path, run } = await running();
    const call = (call_id: string, ok: boolean): NewEvent[] => [
      { kind: 'tool_call', data: { call_id, name: 'read', title: 'x', input: {} } },
      { kind: 'tool_result', data: { call_id, ok, output: '', artifact_id: null } },
    ];
    const phase = (status: 'running' | 'failed' | 'passed'): NewEvent => ({
      kind: 'phase',
      data: { name: 'verify', status, summary: '', evidence: [] },
    });
    await append(api.ctx, run, [
      ...[1, 2, 3, 4].flatMap((at) => call(`c${at}`, at === 1)),
      command('npm test', 1, 2_000),
      command('npm test', 1, 1_000),
      command('npm test', 0, 3_000),
      command('ls', 0, 5),
      phase('running'),
      phase('failed'),
      phase('running'),
      phase('passed'),
      ...Array.from({ length: 3 }, (_, at): NewEvent => ({
        kind: 'warning',
        data: { code: 'slow', message: `no ${at}` },
      })),
    ]);
    await recordArtifact(api.ctx, run, { name: 'a', contentType: 'text/plain', sizeBytes: 1, sha256: 'x', blob: 'b' });
    const { status, json } = await api.call('GET', `${path}/insights`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      turns: 1,
      attempts: 1,
      complete: true,
      messages: { user: 1, agent: 0, platform: 0 },
      tools: [{ name: 'read', calls: 4, failed: 3 }],
      phases: [{ name: 'verify', runs: 2, failed: 1 }],
      commands: {
        runs: 4,
        failed: 2,
        seconds: 6.005,
        slowest: [{ command: 'npm test', seconds: 3, exit_code: 0 }, { command: 'ls' }],
        repeated_failures: [{ command: 'npm test', failures: 2 }],
      },
      warnings: [{ code: 'slow', count: 3, message: 'no 2' }],
    });
    const codes = Object(json['observations']).map(({ code }: { code: string }) => code);
    expect(codes).toEqual(['check_failed', 'command_failed_repeatedly', 'tool_failed_often', 'repeated_warning']);
  });

  test('of a session that has not started are zero', async () => {
    const { path } = await sessionIn(api, 'queued');
    const { json } = await api.call('GET', `${path}/insights`);
    expect(json).toMatchObject({ turns: 0, attempts: 0, commands: { runs: 0, slowest: [] }, observations: [] });
  });
});
