import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { append, type Run } from '../run/run-service.ts';
import { beginTurn } from '../run/turn-service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { PhaseName, PhaseStatus } from '../schemas/session-schemas.ts';
import { mostOfKind } from '../schemas/outline-schemas.ts';
import { readFailed, readMarks, readPhases, readSaid } from '../store/outline-store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function running(): Promise<{ id: string; path: string; run: Run }> {
  const { id, path, run } = await sessionIn(api, 'running', { repositories: [] });
  if (run === undefined) throw new Error('nothing runs');
  return { id, path, run };
}

async function outline(path: string): Promise<Record<string, unknown>> {
  const { status, json } = await api.call('GET', `${path}/outline`);
  expect(status).toBe(200);
  return json;
}

function phase(name: PhaseName, status: PhaseStatus, summary = ''): NewEvent {
  return { kind: 'phase', phase: name, data: { name, status, summary, evidence: [] } };
}

function output(text: string): NewEvent {
  return { kind: 'output', data: { command_id: 'c', call_id: '', stream: 'stdout', text } };
}

describe('the outline', () => {
  test('has the turns with their first message, and every message as a mark', async () => {
    const { path, run } = await running();
    await api.call('POST', `${path}/messages`, { body: { content: 'And more.', delivery: 'queue' } });
    await api.call('POST', `${path}/messages`, { body: { content: 'x'.repeat(500), delivery: 'queue' } });
    await beginTurn(api.ctx, run, 2);
    const { json } = await api.call('GET', `${path}/events?kind=message`);
    const events = [json['items']].flat().map((event) => Object(event));
    const at = (index: number) => ({ seq: events[index].seq, message_id: events[index].data.message_id });
    const shown = await outline(path);
    expect(shown).toMatchObject({
      turns: [
        { turn: 1, ...at(1), title: 'Do it.', started_at: events[1].created_at },
        { turn: 2, ...at(4), title: 'And more.', started_at: events[4].created_at },
      ],
      marks: [
        { seq: events[0].seq, kind: 'message', title: 'Do it.' },
        { seq: events[2].seq, kind: 'message', title: 'And more.' },
        { seq: events[3].seq, kind: 'message', title: 'x'.repeat(120) },
      ],
      complete: true,
      last_seq: (await api.call('GET', path)).json['last_seq'],
    });
    expect(events.map(({ data }) => data.state)).toEqual([
      'queued',
      'delivered',
      'queued',
      'queued',
      'delivered',
      'delivered',
    ]);
  });

  test('has the phases, open ones and those that never began', async () => {
    const { path, run } = await running();
    const start = Number((await api.call('GET', path)).json['last_seq']);
    await append(api.ctx, run, [
      phase('reproduce', 'running'),
      phase('reproduce', 'failed', 'It fails.'),
      phase('implement', 'running'),
      output('x'),
      phase('implement', 'running'),
      phase('implement', 'passed', 'Done.'),
      phase('deliver', 'skipped', 'Nothing to deliver.'),
      phase('verify', 'running'),
    ]);
    const brief = [(await outline(path))['phases']].flat().map((one) => {
      const { name, status, summary, seq, end_seq: end, started_at: started, ended_at: ended } = Object(one);
      expect([typeof started, ended === null]).toEqual(['string', end === null]);
      return [name, status, summary, seq - start, end === null ? null : end - start];
    });
    expect(brief).toEqual([
      ['reproduce', 'failed', 'It fails.', 1, 2],
      ['implement', 'running', '', 3, 5],
      ['implement', 'passed', 'Done.', 5, 6],
      ['deliver', 'skipped', 'Nothing to deliver.', 7, 7],
      ['verify', 'running', '', 8, null],
    ]);
  });

  test('marks what failed, problems and results, and nothing else', async () => {
    const { path, run } = await running();
    const start = Number((await api.call('GET', path)).json['last_seq']);
    const command = (exit_code: number | null): NewEvent => ({
      kind: 'command',
      data: {
        command_id: 'c',
        call_id: '',
        command: 'npm test',
        phase: '',
        exit_code,
        duration_ms: null,
        artifact_id: null,
      },
    });
    const result = (ok: boolean): NewEvent => ({
      kind: 'tool_result',
      data: { call_id: 'k', ok, output: 'no such file', artifact_id: null },
    });
    const approval = (state: 'pending' | 'approved'): NewEvent => ({
      kind: 'approval',
      data: { approval_id: 'apr_1', kind: 'plan', state, summary: 'Three steps' },
    });
    await append(api.ctx, run, [
      command(null),
      command(0),
      result(true),
      output('x'),
      approval('approved'),
      command(1),
      result(false),
      approval('pending'),
      { kind: 'warning', data: { code: 'w', message: 'Careful.' } },
      { kind: 'branch_pushed', data: { provider: 'local', repo: 'acme/x', branch: 'fix', commit: 'a'.repeat(40) } },
      { kind: 'structured_output', data: { value: { a: 1 } } },
    ]);
    const marks = [(await outline(path))['marks']].flat().map((mark) => Object(mark));
    expect(marks.filter(({ seq }) => seq > start).map(({ seq, kind, title }) => [seq - start, kind, title])).toEqual([
      [6, 'command', 'npm test'],
      [7, 'tool_result', 'no such file'],
      [8, 'approval', 'Three steps'],
      [9, 'warning', 'Careful.'],
      [10, 'branch_pushed', 'fix'],
      [11, 'structured_output', ''],
    ]);
  });

  test('of a log of an earlier version has its turns', async () => {
    const { id, path } = await running();
    const { pool } = api.ctx.db;
    await pool.query(`delete from session_events where session_id = $1 and data ->> 'state' = 'delivered'`, [id]);
    await pool.query(
      `update session_events set data = json_build_object('message_id', 'm', 'role', 'user', 'delta', 'Old.', 'done', true)
       where session_id = $1 and kind = 'message'`,
      [id],
    );
    expect((await outline(path))['turns']).toMatchObject([{ turn: 1, seq: 2, message_id: 'm', title: 'Old.' }]);
  });

  test('is bounded by kind, keeps the newest, and reads little of a long log', async () => {
    const { id, path } = await running();
    const { pool } = api.ctx.db;
    const many = 20_000;
    await pool.query(
      `insert into session_events (session_id, seq, id, org_id, kind, data)
       select s.id, s.last_seq + n, 'evt_' || n, s.org_id, case when n % 20 = 0 then 'warning' else 'message' end,
         json_build_object('message_id', 'm', 'role', 'agent', 'delta', 'x', 'done', false, 'code', 'x', 'message', n::text)
       from sessions s, generate_series(1, $2::int) n where s.id = $1`,
      [id, many],
    );
    await pool.query('update sessions set last_seq = last_seq + $2 where id = $1', [id, many]);
    await pool.query('analyze session_events');
    const shown = await outline(path);
    const marks = [shown['marks']].flat().map((mark) => Object(mark));
    expect(shown).toMatchObject({ complete: false, turns: [{ turn: 1 }] });
    expect(marks.map(({ kind }) => kind)).toEqual(['message', ...Array.from({ length: mostOfKind }, () => 'warning')]);
    expect(marks.at(-1)).toMatchObject({ title: String(many) });
    const { rows } = await pool.query<{ org_id: string }>('select org_id from sessions where id = $1', [id]);
    const place = { orgId: rows[0]?.org_id ?? '', sessionId: id, lastSeq: many };
    const asked = vi.spyOn(pool, 'query');
    for (const read of [readSaid, readPhases, readFailed, readMarks]) await read(api.ctx.db, place);
    // The process has queries of its own.
    const statements = asked.mock.calls
      .map(([statement]) => Object(statement))
      .filter(({ name }) => String(name).startsWith('outline_'));
    asked.mockRestore();
    expect(statements).toHaveLength(4);
    for (const { text, values, name } of statements) {
      const explained = await pool.query<{ 'QUERY PLAN': unknown }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      const [{ Plan: plan }] = Object(explained.rows[0])['QUERY PLAN'];
      // Every warning that is shown may be on another page of the table.
      expect([name, plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] < 800]).toEqual([name, true]);
    }
  });
});
