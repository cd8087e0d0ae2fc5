import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../server/test/support/api.ts';
import { ApiError, createClient, pages, unwrap, type Client, type SessionEvent } from './index.ts';

const sessions = '/v3/organizations/{orgId}/sessions';
let api: TestApi;
let client: Client;

beforeAll(async () => {
  api = await startTestApi();
  client = createClient({ baseUrl: api.url, key: api.adminKey });
});
afterAll(() => api.close());

function createSession(by: Client = client, title = 'A session') {
  return unwrap(by.POST(sessions, { body: { prompt: 'Say hello', repositories: [], title } }));
}

function say(id: string, content: string) {
  return unwrap(client.POST(`${sessions}/{id}/messages`, { params: { path: { id } }, body: { content } }));
}

function cancel(id: string) {
  return unwrap(client.POST(`${sessions}/{id}/cancel`, { params: { path: { id } } }));
}

async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('the call was not refused', { cause: error });
  return error;
}

describe('calls', () => {
  test("go to the key's own organization unless one is named", async () => {
    const session = await createSession();
    const named = createClient({ baseUrl: api.url, key: api.adminKey, organization: 'default' });
    const { title } = await unwrap(named.GET(`${sessions}/{id}`, { params: { path: { id: session.id } } }));
    expect(title).toBe('A session');
    const elsewhere = createClient({ baseUrl: api.url, key: api.adminKey, organization: 'elsewhere' });
    expect(await refusalOf(unwrap(elsewhere.GET(sessions)))).toMatchObject({ code: 'organization_not_found' });
  });

  test('with a wrong key are answered with its refusal, also where the organization of the key is needed first', async () => {
    for (const organization of [undefined, 'default']) {
      const stranger = createClient({ baseUrl: api.url, key: `guild_${'0'.repeat(48)}`, organization });
      for (const { data, error, response } of await Promise.all([stranger.GET(sessions), stranger.GET(sessions)])) {
        expect(data).toBeUndefined();
        expect(error).toMatchObject({ error: 'unauthorized' });
        expect(response.status).toBe(401);
      }
      expect(await refusalOf(unwrap(stranger.GET(sessions)))).toMatchObject({ status: 401, code: 'unauthorized' });
      expect(await refusalOf(stranger.followSession('ses_1').next())).toMatchObject({ code: 'unauthorized' });
    }
  });

  test('carry the refusal of /v3 in an ApiError', async () => {
    const error = await refusalOf(unwrap(client.GET(`${sessions}/{id}`, { params: { path: { id: 'ses_missing' } } })));
    expect(error).toMatchObject({ status: 404, code: 'session_not_found', retryAfter: undefined });
    expect(error.message).toContain('ses_missing');
    expect(error.requestId).toMatch(/^req_/);
  });

  test('carry the issues of a request in an ApiError, whichever envelope they came in', async () => {
    const unversioned = await refusalOf(unwrap(client.POST('/agents', { body: { name: '' } })));
    const organization = await refusalOf(unwrap(client.POST('/v3/organizations', { body: { name: '' } })));
    const issues = [{ in: 'body', path: ['name'], code: 'string_too_short', message: 'must not be blank' }];
    expect(unversioned).toMatchObject({ status: 422, code: 'invalid_request', issues });
    expect(organization).toMatchObject({ status: 400, code: 'invalid_request', issues });
    for (const { message } of [unversioned, organization]) expect(message).toContain('body.name');
    expect(
      (await refusalOf(unwrap(client.GET('/agents/{agent_id}', { params: { path: { agent_id: 'x' } } })))).issues,
    ).toEqual([]);
  });

  test('say what they can of an answer that is not the API’s', async () => {
    const proxied = createClient({
      baseUrl: api.url,
      key: api.adminKey,
      fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
    });
    const error = await refusalOf(unwrap(proxied.GET('/v3/self')));
    expect(error).toMatchObject({ status: 502, code: 'http_502', requestId: '', message: '502 Bad Gateway' });
  });

  test('send files as a form, with and without the name of the organization', async () => {
    const text = 'A specification.';
    for (const organization of [undefined, 'default']) {
      const by = createClient({ baseUrl: api.url, key: api.adminKey, organization });
      const body = { file: new File([text], 'spec.md') };
      const made = await unwrap(by.POST('/v3/organizations/{orgId}/attachments', { body }));
      expect(made).toMatchObject({ name: 'spec.md', size_bytes: text.length });
      const path = '/v3/organizations/{orgId}/attachments/{id}/download';
      const params = { path: { id: made.id } };
      const { data, response } = await by.GET(path, { params, parseAs: 'text' });
      expect([response.status, data]).toEqual([200, text]);
    }
    const notes = ['one', 'two'].map((name) => new File([`---\nname: ${name}\ntrigger: t\n---\nb\n`], `${name}.md`));
    const imported = await unwrap(client.POST('/v3/organizations/{orgId}/knowledge/import', { body: { file: notes } }));
    expect(imported.items).toHaveLength(2);
  });

  test('walk a list to its end, each item once', async () => {
    const { id: tag } = await createSession();
    const created: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const body = { prompt: 'Say hello', repositories: [], tags: [tag] };
      created.unshift((await unwrap(client.POST(sessions, { body }))).id);
    }
    const listed: string[] = [];
    for await (const session of pages((after) => client.GET(sessions, { params: { query: { tag, first: 2, after } } })))
      listed.push(session.id);
    expect(listed).toEqual(created);
  });
});

describe('repeating', () => {
  test('a POST whose answer was lost is done once', async () => {
    let lost = 0;
    const shaky = createClient({
      baseUrl: api.url,
      key: api.adminKey,
      fetch: async (request) => {
        const response = await fetch(request);
        if (request.method !== 'POST' || lost > 0) return response;
        lost += 1;
        throw new TypeError('the connection broke after the server answered');
      },
    });
    const { id } = await createSession(shaky, 'Created once');
    const found = await unwrap(client.GET(sessions, { params: { query: { search: 'Created once' } } }));
    expect(lost).toBe(1);
    expect(found.items.map((session) => session.id)).toEqual([id]);
  });

  test('two calls of the same content are two', async () => {
    const first = await createSession();
    const second = await createSession();
    expect(second.id).not.toBe(first.id);
  });

  test('a server that is busy is asked again, a refusal and a DELETE are not', async () => {
    const asked: string[] = [];
    const busyOnce = createClient({
      baseUrl: api.url,
      key: api.adminKey,
      organization: 'default',
      fetch: async (request) => {
        asked.push(request.method);
        const isFirst = asked.filter((method) => method === request.method).length === 1;
        return isFirst ? new Response('{}', { status: 503, headers: { 'retry-after': '0' } }) : fetch(request);
      },
    });
    await unwrap(busyOnce.GET('/v3/self'));
    expect(asked).toEqual(['GET', 'GET']);
    expect(await refusalOf(unwrap(busyOnce.POST(sessions, { body: { prompt: '' } })))).toMatchObject({
      code: 'prompt_required',
    });
    expect(asked).toEqual(['GET', 'GET', 'POST', 'POST']);
    const path = { id: 'ses_missing' };
    expect(await refusalOf(unwrap(busyOnce.DELETE(`${sessions}/{id}`, { params: { path } })))).toMatchObject({
      status: 503,
      retryAfter: 0,
    });
    expect(asked).toEqual(['GET', 'GET', 'POST', 'POST', 'DELETE']);
  });
});

/** Starts a proxy to the API whose connections can all be cut. */
async function startCuttable() {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((inside) => {
    accepted += 1;
    const outside = connect(Number(new URL(api.url).port), '127.0.0.1');
    inside.pipe(outside).pipe(inside);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => [inside, outside].forEach((end) => end.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    client: createClient({ baseUrl: `http://127.0.0.1:${address.port}`, key: api.adminKey, organization: 'default' }),
    cut,
    accepted: () => accepted,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function take(events: AsyncGenerator<SessionEvent, void>, upTo: number): Promise<number[]> {
  const seqs: number[] = [];
  while (seqs.at(-1) !== upTo) {
    const next = await events.next();
    if (next.done === true) throw new Error(`the stream ended after ${seqs.join(', ')}`);
    seqs.push(next.value.seq);
  }
  return seqs;
}

async function lastSeq(id: string): Promise<number> {
  return (await unwrap(client.GET(`${sessions}/{id}`, { params: { path: { id } } }))).last_seq;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe('following a session', () => {
  test('every event comes once and in order over cut connections', async () => {
    const { id } = await createSession();
    const cuttable = await startCuttable();
    const events = cuttable.client.followSession(id);
    const before = await lastSeq(id);
    expect(await take(events, before)).toEqual(range(1, before));
    let seen = before;
    for (const content of ['one', 'two', 'three']) {
      const connections = cuttable.accepted();
      cuttable.cut();
      await say(id, content);
      const now = await lastSeq(id);
      expect(now).toBeGreaterThan(seen);
      expect(await take(events, now)).toEqual(range(seen + 1, now));
      expect(cuttable.accepted()).toBeGreaterThan(connections);
      seen = now;
    }
    await events.return();
    await cuttable.close();
  });

  test('a connection that died unnoticed is replaced, long before it counts as silent', async () => {
    const { id } = await createSession();
    let asked = 0;
    const dead = (request: Request): Promise<Response> =>
      new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const through = createClient({
      baseUrl: api.url,
      key: api.adminKey,
      fetch: (request) => ((asked += 1) === 1 ? dead(request) : fetch(request)),
      organization: 'default',
    });
    const events = through.followSession(id);
    expect(await take(events, 1)).toEqual([1]);
    expect(asked).toBe(2);
    await events.return();
  }, 30_000);

  test('begins with the first event that is kept, and says so if one was asked for that is not', async () => {
    const { id } = await createSession();
    await say(id, 'a later message');
    const last = await lastSeq(id);
    await api.ctx.db.pool.query('delete from session_events where session_id = $1 and seq < 2', [id]);
    const events = client.followSession(id);
    expect(await take(events, last)).toEqual(range(2, last));
    await events.return();
    await say(id, 'another one');
    await api.ctx.db.pool.query('delete from session_events where session_id = $1 and seq < 3', [id]);
    const error = await refusalOf(client.followSession(id, { afterSeq: 1 }).next());
    expect(error).toMatchObject({ status: 410, code: 'stream_expired', details: { first_seq: 3 } });
  });

  test('begins behind afterSeq and brings what happens then', async () => {
    const { id } = await createSession();
    const before = await lastSeq(id);
    const events = client.followSession(id, { afterSeq: before });
    const first = events.next();
    await say(id, 'a later message');
    const { value } = await first;
    expect(value).toMatchObject({ seq: before + 1, session_id: id });
    await events.return();
  });

  test('ends when the session is canceled, after its last event', async () => {
    const { id } = await createSession();
    const seqs: number[] = [];
    for await (const { seq } of client.followSession(id)) {
      if (seqs.length === 0) await cancel(id);
      seqs.push(seq);
    }
    expect(seqs).toEqual(range(1, await lastSeq(id)));
  });

  test('ends when the session is deleted', async () => {
    const { id } = await createSession();
    let isDeleted = false;
    for await (const { seq } of client.followSession(id)) {
      expect(seq).toBeGreaterThan(0);
      if (isDeleted) continue;
      await unwrap(client.DELETE(`${sessions}/{id}`, { params: { path: { id }, query: { force: true } } }));
      isDeleted = true;
    }
    expect(isDeleted).toBe(true);
  });

  test('is given up by its reader, who hears of each failure', async () => {
    const unreachable = createClient({
      baseUrl: api.url,
      key: api.adminKey,
      organization: 'default',
      fetch: () => Promise.reject(new TypeError('connect ECONNREFUSED')),
    });
    const delays: number[] = [];
    const onLost = (reason: unknown, delayMs: number): void => {
      delays.push(delayMs);
      if (delays.length === 2) throw reason;
    };
    await expect(unreachable.followSession('ses_1', { onLost }).next()).rejects.toThrow('connect ECONNREFUSED');
    expect(delays).toHaveLength(2);
  }, 30_000);

  test('ends when its signal aborts while it waits', async () => {
    const { id } = await createSession();
    const controller = new AbortController();
    const last = await lastSeq(id);
    const events = client.followSession(id, { afterSeq: last - 1, signal: controller.signal });
    expect(await take(events, last)).toEqual([last]);
    const next = events.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('ends when its signal aborts after everything that could be collected was', async () => {
    const { id } = await createSession();
    const controller = new AbortController();
    const last = await lastSeq(id);
    const events = client.followSession(id, { afterSeq: last - 1, signal: AbortSignal.any([controller.signal]) });
    expect(await take(events, last)).toEqual([last]);
    const next = events.next();
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('there is no gc');
    // Weakly held objects go in rounds: an object first, then those that only it held.
    for (let round = 0; round < 5; round += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('a session that does not exist is an ApiError', async () => {
    const error = await refusalOf(client.followSession('ses_missing').next());
    expect(error).toMatchObject({ status: 404, code: 'session_not_found' });
  });
});
