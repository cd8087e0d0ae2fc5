import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { openStream, type Frame, type StreamReader } from '../../../../test/support/event-stream.ts';
import { checkpoint, sessionIn } from '../../../../test/support/session-states.ts';
import { eventData } from '../schemas/event-schemas.ts';
import { append, type Run } from '../run/run-service.ts';

let api: TestApi;
let second: TestApi;
/** The stream of a session without new events. */
let silent: StreamReader;
let silentSince: number;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  silent = await openStream(api, `${(await sessionIn(api, 'waiting')).path}/events/stream`);
  silentSince = performance.now();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function running(): Promise<{ id: string; path: string; run: Run }> {
  const { id, path, run } = await sessionIn(api, 'running');
  if (run === undefined) throw new Error('nothing runs');
  return { id, path, run };
}

async function say(run: Run, ...texts: string[]): Promise<void> {
  await append(
    api.ctx,
    run,
    texts.map((text) => ({ kind: 'output', data: { command_id: 'c', call_id: '', stream: 'stdout', text } })),
  );
}

async function stored(path: string): Promise<Record<string, unknown>[]> {
  const { json } = await api.call('GET', `${path}/events?first=200`);
  return Array.isArray(json['items']) ? json['items'].map((item: unknown) => Object(item)) : [];
}

function idsOf(frames: Frame[]): (string | undefined)[] {
  return frames.map(({ id }) => id);
}

/** Returns the ids from `from` to `to`. */
function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
}

describe('the log', () => {
  test('counts from 1 without gaps, also when many append at once', async () => {
    const { path, run } = await running();
    await Promise.all(Array.from({ length: 20 }, (_, index) => say(run, `${index}a`, `${index}b`)));
    const events = await stored(path);
    expect(events.map(({ seq }) => String(seq))).toEqual(range(1, events.length));
    expect((await api.call('GET', path)).json['last_seq']).toBe(events.length);
    for (const event of events)
      expect(Object.keys(event).join(' ')).toBe('seq id session_id kind phase turn attempt_no data created_at');
  });

  test('every event fits the closed schema of its kind', async () => {
    const { path, run } = await running();
    await say(run, 'x');
    await checkpoint(api, { ...run, losses: 0, before: '' });
    await api.call('POST', `${path}/messages`, { body: { content: 'y' } });
    await api.call('POST', `${path}/cancel`);
    const events = await stored(path);
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['status', 'message', 'warning', 'output', 'checkpoint']),
    );
    for (const { kind, data } of events) {
      const schema = Object.entries(eventData).find(([name]) => name === kind)?.[1];
      expect(schema).toBeDefined();
      if (schema !== undefined) expect(Value.Check({ ...schema, additionalProperties: false }, data)).toBe(true);
    }
  });

  test('text goes through as it is, whatever it looks like', async () => {
    const { path, run } = await running();
    const text = 'a\n\ndata: b\r\nid: 7\n: c\u2028"\\ 😀';
    await say(run, text);
    const stream = await openStream(api, `${path}/events/stream`);
    const last = (await stored(path)).at(-1);
    expect(last).toMatchObject({ data: { text } });
    const frames = await stream.reaches(1 + Number(last?.['seq']));
    expect(frames.at(-1)?.data).toEqual(last);
    await stream.leave();
  });
});

describe('a stream', () => {
  test('begins with the status of the moment, without an id, and then every event', async () => {
    const { id, path } = await running();
    const events = await stored(path);
    const stream = await openStream(api, `${path}/events/stream`);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const [first, ...rest] = await stream.reaches(1 + events.length);
    expect(stream.text()).toMatch(/^event: status\ndata: \{/);
    expect([first?.id, first?.event]).toEqual([undefined, 'status']);
    expect(first?.data).toMatchObject({
      seq: events.length,
      id: '',
      session_id: id,
      kind: 'status',
      data: { status: 'running', status_detail: 'working', sandbox_state: 'ready' },
    });
    expect(Object.keys(first?.data ?? {})).toEqual(Object.keys(rest[0]?.data ?? {}));
    expect(rest.map((frame) => frame.data)).toEqual(events);
    expect(rest.map(({ id: seq, event }) => [seq, event])).toEqual(events.map(({ seq, kind }) => [String(seq), kind]));
    await stream.leave();
  });

  test('resumes behind Last-Event-ID with no gap and no repeat, on any process, while events are appended', async () => {
    const { path, run } = await running();
    const writes = 120;
    const total = Number((await api.call('GET', path)).json['last_seq']) + 3 * writes;
    const writing = (async () => {
      for (let index = 0; index < writes; index += 1) await say(run, `${index}`, `${index}`, `${index}`);
    })();
    const seen: string[] = [];
    // Breaks the connection repeatedly, after different numbers of events.
    for (let round = 0; seen.length < total; round += 1) {
      const lastEventId = seen.at(-1);
      const at = round % 2 === 0 ? api : second;
      const stream = await openStream(at, `${path}/events/stream`, lastEventId === undefined ? {} : { lastEventId });
      await stream.reaches(1 + Math.min(1 + (round % 7), total - seen.length));
      await stream.leave();
      seen.push(...idsOf(stream.frames.slice(1)).map(String));
    }
    await writing;
    expect(seen).toEqual(range(1, total));
  });

  test('sends the same live as later, whatever the events look like and however large they are', async () => {
    const { path, run } = await running();
    const before = Number((await api.call('GET', path)).json['last_seq']);
    const live = [await openStream(api, `${path}/events/stream`), await openStream(second, `${path}/events/stream`)];
    for (const stream of live) await stream.reaches(1 + before);
    const texts = [
      ['a\tb\nc', '\u0001 \\ "😀"\u2028'],
      ['x'.repeat(8_000)],
      ['', 'ä'.repeat(7_850)],
      ['y'.repeat(3_000), 'z'.repeat(6_000)],
    ];
    for (const each of texts) await say(run, ...each);
    await api.call('POST', `${path}/messages`, { body: { content: 'go on' } });
    const total = Number((await api.call('GET', path)).json['last_seq']);
    expect(total).toBe(before + texts.flat().length + 1);
    const later = await openStream(api, `${path}/events/stream`);
    const events = (text: string): string => text.slice(text.indexOf('id: 1\n'));
    await later.reaches(1 + total);
    for (const stream of live) {
      await stream.reaches(1 + total);
      expect(events(stream.text())).toBe(events(later.text()));
    }
    for (const stream of [...live, later]) await stream.leave();
  });

  test('after_seq begins behind it, and Last-Event-ID is stronger', async () => {
    const { path, run } = await running();
    await say(run, 'a', 'b', 'c');
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const after = await openStream(api, `${path}/events/stream?after_seq=${last - 2}`);
    expect(idsOf(await after.reaches(3))).toEqual([undefined, ...range(last - 1, last)]);
    await after.leave();
    const both = await openStream(api, `${path}/events/stream?after_seq=1`, { lastEventId: String(last - 1) });
    expect(idsOf(await both.reaches(2))).toEqual([undefined, String(last)]);
    await both.leave();
  });

  test.each([
    ['?after_seq=-1', undefined],
    ['?after_seq=x', undefined],
    ['', 'x'],
    ['', '-1'],
    ['', '1.5'],
  ])('%j with Last-Event-ID %j is 400', async (query, header) => {
    const { path } = await running();
    const headers: Record<string, string> = header === undefined ? {} : { 'last-event-id': header };
    const answer = await api.call('GET', `${path}/events/stream${query}`, { headers });
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('a position after the last event is refused, and tells its number', async () => {
    const { path } = await running();
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const rule = `must be at most ${last}, the number of the session's last event.`;
    const stream = `${path}/events/stream`;
    const refused = await api.call('GET', `${stream}?after_seq=${last + 1}`);
    const json = { error: 'invalid_request', message: `query.after_seq ${rule}` };
    expect(refused).toMatchObject({ status: 400, json });
    const headers = { 'last-event-id': String(last + 1) };
    const resumed = await api.call('GET', `${stream}?after_seq=1`, { headers });
    // The log gave that number once, so it lost the event.
    const details = { first_seq: 1, last_seq: last };
    expect(resumed).toMatchObject({ status: 410, json: { error: 'stream_expired', details } });
    expect(resumed.json['message']).toMatch(`no event ${last + 1}: its last one is ${last}.`);
    expect((await api.call('GET', `${path}/events?after_seq=${last + 1}`)).status).toBe(200);
  });

  test('brings what another process appends, at once', async () => {
    const { path, run } = await running();
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const stream = await openStream(second, `${path}/events/stream?after_seq=${last}`);
    await stream.reaches(1);
    const started = performance.now();
    await say(run, 'news');
    await stream.reaches(2);
    // Without the notification it would come only with the next heartbeat.
    expect(performance.now() - started).toBeLessThan(5_000);
    await stream.leave();
  });

  test('stays open over the end of a turn, and another turn', async () => {
    const { path } = await sessionIn(api, 'completed');
    const last = Number((await api.call('GET', path)).json['last_seq']);
    const stream = await openStream(api, `${path}/events/stream?after_seq=${last}`);
    await stream.reaches(1);
    await api.call('POST', `${path}/messages`, { body: { content: 'more' } });
    const frames = await stream.reaches(3);
    expect(frames.slice(1).map(({ event }) => event)).toEqual(['message', 'status']);
    await stream.leave();
  });

  test('ends when the session is canceled, after the event that says so', async () => {
    const { path } = await running();
    const stream = await openStream(second, `${path}/events/stream`);
    await stream.reaches(2);
    await api.call('POST', `${path}/cancel`);
    await stream.ended;
    expect(stream.frames.at(-1)?.data).toMatchObject({ kind: 'status', data: { status: 'canceled' } });
    const late = await openStream(api, `${path}/events/stream`);
    await late.ended;
    expect(late.frames).toHaveLength(stream.frames.length);
  });

  test('ends when the session is deleted', async () => {
    const { path } = await running();
    const stream = await openStream(second, `${path}/events/stream`);
    await stream.reaches(2);
    await api.call('DELETE', `${path}?force=true`);
    await stream.ended;
    expect((await api.call('GET', `${path}/events/stream`)).status).toBe(404);
  });

  test('ends at drain', async () => {
    const third = await api.another();
    const { path } = await running();
    const stream = await openStream(third, `${path}/events/stream`);
    await stream.reaches(2);
    await third.close();
    await stream.ended;
  });

  describe('and its key', () => {
    async function reader(body: object = {}): Promise<{ id: string; key: string }> {
      const { json } = await api.call('POST', '/v3/self/keys', {
        body: { name: 'r', scopes: ['sessions:read'], ...body },
      });
      return { id: String(json['id']), key: String(json['key']) };
    }

    test('ends when the key is revoked', async () => {
      const { path } = await running();
      const { id, key } = await reader();
      const stream = await openStream(second, `${path}/events/stream`, { key });
      await stream.reaches(2);
      await api.call('DELETE', `/v3/self/keys/${id}`);
      await stream.ended;
    });

    test('does not get what happened after the revocation, however long that takes to be looked at', async () => {
      const { path, run } = await running();
      const { id, key } = await reader();
      const [stream, witness] = await Promise.all(
        [{ key }, {}].map((options) => openStream(second, `${path}/events/stream`, options)),
      );
      const before = (await witness?.reaches(2))?.length ?? 0;
      await stream?.reaches(before);
      const [revoking, holding] = [await api.ctx.db.pool.connect(), await api.ctx.db.pool.connect()];
      await revoking.query('begin');
      await revoking.query('update api_keys set revoked_at = now() where id = $1', [id]);
      await revoking.query(`select pg_notify('guildhall_keys', $1)`, [id]);
      await holding.query('begin');
      // The lock request is queued first, so that later checks of the key queue behind it.
      const held = holding.query('lock table api_keys in access exclusive mode');
      const waits = `select 1 from pg_locks where relation = 'api_keys'::regclass and mode = 'AccessExclusiveLock'`;
      while ((await revoking.query(waits)).rowCount === 0);
      await revoking.query('commit');
      revoking.release();
      await held;
      await say(run, 'after the revocation');
      await witness?.reaches(before + 1);
      await holding.query('rollback');
      holding.release();
      await stream?.ended;
      expect(witness?.text()).toContain('after the revocation');
      expect(stream?.text()).not.toContain('after the revocation');
      await witness?.leave();
    });

    test('ends when the key runs out', async () => {
      const { path } = await running();
      const { key } = await reader({ expires_at: new Date(Date.now() + 1_500).toISOString() });
      const stream = await openStream(api, `${path}/events/stream`, { key });
      await stream.reaches(2);
      await stream.ended;
      expect((await api.call('GET', path, { key })).json['error']).toBe('key_expired');
    });

    test('lives through the overlap of a rotation, and ends with it', async () => {
      const { path, run } = await running();
      const { id, key } = await reader();
      const stream = await openStream(api, `${path}/events/stream`, { key });
      const before = (await stream.reaches(2)).length;
      await api.call('POST', `/v3/self/keys/${id}/rotate`, { body: { overlap_seconds: 1 } });
      await say(run, 'still here');
      expect((await stream.reaches(before + 1)).length).toBeGreaterThan(before);
      await stream.ended;
    });

    test('ends at once when the key is rotated without overlap', async () => {
      const { path } = await running();
      const { id, key } = await reader();
      const stream = await openStream(second, `${path}/events/stream`, { key });
      await stream.reaches(2);
      await api.call('POST', `/v3/self/keys/${id}/rotate`);
      await stream.ended;
    });
  });

  test('shows that it lives every 15 s, by a comment', async () => {
    await expect.poll(() => silent.text(), { timeout: 20_000 }).toMatch(/\n\n: heartbeat\n\n$/);
    expect(performance.now() - silentSince).toBeGreaterThan(14_000);
    await silent.leave();
  });
});
