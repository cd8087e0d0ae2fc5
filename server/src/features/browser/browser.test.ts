import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join as pathOf } from 'node:path';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { spawnChild } from '../../../test/support/child.ts';
import { needsBrowser } from '../../../test/support/chromium.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { startSite, type Site } from '../../../test/support/pages.ts';
import { startTestWorker, type TestWorker } from '../../../test/support/worker.ts';
import { suspendOrganization } from '../organizations/deletion-service.ts';
import { reapBrowsers } from './host-service.ts';

const form = `<title>Form</title><form action="/answer" method="get">
  <input name="q" id="q"><input type="password" id="secret"><button id="go">Go</button></form>
  <p id="hidden" style="display: none">hidden</p><a id="in" href="/inwards">in</a>
  <script>document.title += ' ' + navigator.webdriver</script>`;

let site: Site;
let internal: Site;
let api: TestApi;
let worker: TestWorker;
let logFile: string;
/** Milliseconds that the worker's clock is ahead. */
let aheadMs = 0;
/** The browser session of tests that need an open one. */
let shared = '';
const org = '/v3/organizations/default';

needsBrowser();

beforeAll(async () => {
  site = await startSite({
    '/': '<title>Home</title><h1>Hello\u0000 &amp; welcome</h1>',
    '/form': form,
    '/answer': '<title>Answer</title>',
    '/never': () => undefined,
    // The browser itself keeps blobs, not the page.
    '/hungry': `<script>
      const eat = () => {
        const part = new Uint8Array(4 * 1024 * 1024);
        for (let at = 0; at < part.length; at += 65536) crypto.getRandomValues(part.subarray(at, at + 65536));
        URL.createObjectURL(new Blob([part]));
        setTimeout(eat);
      };
      eat();</script>`,
    '/strange': "<p id=p></p><script>document.title = p.textContent = 'a\\0b\\ud800c'</script>",
    '/inwards': (_request, response) => response.writeHead(302, { location: internal.url }).end(),
  });
  internal = await startSite({ '/': '<title>Internal</title>' });
  logFile = pathOf(mkdtempSync(pathOf(tmpdir(), 'guildhall-browser-log-')), 'log');
  api = await startTestApi(
    { GUILDHALL_EGRESS_ALLOW: `browser=${site.target},http=${internal.target}`, GUILDHALL_LOG_LEVEL: 'debug' },
    openSync(logFile, 'w'),
  );
  worker = await startTestWorker(api.ctx, api.url, {
    id: 'the worker',
    browsers: { slots: 3, elementTimeoutMs: 2_000 },
    change: (ctx) => ({ ...ctx, clock: { now: () => new Date(Date.now() + aheadMs) } }),
  });
});
afterEach(async () => {
  aheadMs = 0;
  await endAllBut(shared);
});
afterAll(async () => {
  await worker.close();
  await api.close();
  await Promise.all([site.close(), internal.close()]);
  rmSync(dirname(logFile), { recursive: true });
});

async function endAllBut(id: string): Promise<void> {
  await api.ctx.db.pool.query(
    `select pg_notify('guildhall_browsers', id) from browser_sessions where ended_at is null and id <> $1`,
    [id],
  );
  await api.ctx.db.pool.query('update browser_sessions set ended_at = now() where ended_at is null and id <> $1', [id]);
  await until(() => worker.browsers?.open() === (id === '' ? 0 : 1), 'the browsers to close');
}

function create(body: object = {}, key = api.adminKey, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call('POST', '/browser/sessions', { key, body, headers });
}

async function open(body: object = {}, key = api.adminKey): Promise<string> {
  const { status, text, json } = await create(body, key);
  if (status !== 201) throw new Error(text);
  return String(json['sessionId']);
}

function act(verb: string, body: object, key = api.adminKey): Promise<Answer> {
  return api.call('POST', `/browser/${verb}`, { key, body });
}

function get(id: string, key = api.adminKey): Promise<Answer> {
  return api.call('GET', `/browser/sessions/${id}`, { key });
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await delay(20);
  }
}

/** Returns the processes of a browser session's sandbox, by its control group, with their command lines. */
function processesOf(id: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/cgroup`, 'utf8').includes(`-${id}`)) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        // It has ended.
        return [];
      }
    });
}

/** Kills a process; returns false if it had already ended. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function audited(id: string): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query<{ action: string; changes: unknown }>(
    `select action, changes from audit_entries where resource_id = $1 and outcome = 'success' order by id`,
    [id],
  );
  return rows.map(({ action, changes }) => [action, changes]);
}

/** Occupies slots of a worker in the database. */
async function occupy(where: string, places: number): Promise<void> {
  await api.ctx.db.pool.query(
    `insert into browser_sessions (id, org_id, worker, created_by_type, created_by_id, created_at, expires_at, opened_at)
     select 'brs_' || $1 || n, o.id, $1, 'system', '', now(), now() + interval '1 hour', now()
     from organizations o, generate_series(1, $2) n where o.slug = 'default'`,
    [where, places],
  );
}

const notFound = { error: 'browser_session_not_found', message: expect.any(String) };

describe('a browser session', () => {
  test('is created, read and closed, and its processes go with it', async () => {
    const before = Date.now();
    const { status, json } = await create();
    const id = String(json['sessionId']);
    expect([status, json]).toEqual([
      201,
      {
        sessionId: expect.stringMatching(/^brs_[0-9a-z]{26}$/),
        url: 'about:blank',
        title: '',
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const lasts = Date.parse(String(json['expires_at'])) - Date.parse(String(json['created_at']));
    expect(lasts).toBe(30 * 60_000);
    expect(Date.parse(String(json['created_at']))).toBeGreaterThanOrEqual(before);
    expect((await get(id)).json).toEqual(json);
    expect(processesOf(id).some(({ command }) => command.includes('chromium'))).toBe(true);
    const deleted = await api.call('DELETE', `/browser/sessions/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const answer of [
      await get(id),
      await api.call('DELETE', `/browser/sessions/${id}`),
      await act('content', { sessionId: id }),
    ])
      expect([answer.status, answer.json]).toEqual([404, notFound]);
    await until(() => processesOf(id).length === 0, 'its processes to end');
    expect(worker.browsers?.open()).toBe(0);
    expect(await audited(id)).toEqual([
      ['browser_session.create', {}],
      ['browser_session.delete', {}],
    ]);
  });

  test('is made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'browser-1' };
    const first = await create({}, api.adminKey, headers);
    const again = await create({}, api.adminKey, headers);
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([201, first.json, 'true']);
    expect(worker.browsers?.open()).toBe(1);
  });
});

describe('what a browser does', () => {
  let opened: Answer;
  beforeAll(async () => {
    opened = await api.call('POST', '/browser/sessions');
    shared = String(opened.json['sessionId']);
  });
  afterAll(async () => {
    shared = '';
    await endAllBut(shared);
  });

  test('takes no body at all; an invalid one is 422', async () => {
    expect(opened.status).toBe(201);
    for (const body of [{ session_id: 7 }, { session_id: 'x'.repeat(65) }, []])
      expect((await api.call('POST', '/browser/sessions', { body })).status).toBe(422);
  });

  test("is its organization's alone, for every key that has the scope run", async () => {
    const id = shared;
    const elsewhere = await api.createOrganization('Elsewhere');
    const run = await api.keyWith(['run']);
    const read = await api.keyWith(['sessions:read']);
    const bodies = { navigate: { url: site.url }, click: { selector: 'p' }, type: { selector: 'p', text: 'x' } };
    const verbs = { ...bodies, content: {}, screenshot: {} };
    for (const [verb, body] of Object.entries(verbs)) {
      const foreign = await act(verb, { sessionId: id, ...body }, elsewhere.key);
      const missing = await act(verb, { sessionId: 'brs_none', ...body });
      expect([verb, foreign.status, foreign.text.replace(id, 'brs_none')]).toEqual([verb, 404, missing.text]);
      expect((await act(verb, { sessionId: id, ...body }, read)).json).toMatchObject({ error: 'forbidden' });
      expect((await act(verb, { sessionId: id, ...body }, '')).status).toBe(401);
    }
    expect((await get(id, elsewhere.key)).json).toEqual(notFound);
    expect((await api.call('DELETE', `/browser/sessions/${id}`, { key: elsewhere.key })).status).toBe(404);
    expect((await get(id, read)).status).toBe(403);
    expect((await get(id, run)).status).toBe(200);
  });

  test('clicks, types and reads; what was typed is kept nowhere', async () => {
    const id = shared;
    await act('navigate', { sessionId: id, url: `${site.url}/form?token=query-hunter2` });
    const typed = await act('type', { sessionId: id, selector: '#secret', text: 'typed-hunter2' });
    expect([typed.status, Object.keys(typed.json)]).toEqual([200, ['sessionId', 'url', 'title']]);
    const html = await act('content', { sessionId: id, format: 'html' });
    expect(html.json['content']).toMatch(/^<html>[\s\S]*<form/);
    expect((await act('type', { sessionId: id, selector: '#q', text: 'one' })).status).toBe(200);
    const clicked = await act('click', { sessionId: id, selector: '#go' });
    expect(clicked.json).toEqual({ sessionId: id, url: `${site.url}/answer?q=one`, title: 'Answer' });
    await act('navigate', { sessionId: id, url: `${site.url}/form` });
    const submitted = await act('type', { sessionId: id, selector: '#q', text: 'two', submit: true });
    expect(submitted.json).toEqual({ sessionId: id, url: `${site.url}/answer?q=two`, title: 'Answer' });
    await act('navigate', { sessionId: id, url: `${site.url}/` });
    const text = await act('content', { sessionId: id });
    expect(text.json).toEqual({ sessionId: id, url: `${site.url}/`, title: 'Home', content: expect.any(String) });
    expect(text.json['content']).toContain('& welcome');
    expect(text.text).not.toContain('\\u0000');
    const strange = await act('navigate', { sessionId: id, url: `${site.url}/strange` });
    // Chromium itself replaces U+0000 in a title by a space.
    expect([strange.status, strange.json['title']]).toEqual([200, 'a b\ufffdc']);
    expect((await act('content', { sessionId: id })).json['content']).toMatch(/^a[^\0]?b\ufffdc$/);
    const record = JSON.stringify(await audited(id));
    expect(record).toContain('browser_session.type');
    const { rows } = await api.ctx.db.pool.query('select * from worker_calls');
    expect(rows).toEqual([]);
    for (const where of [record, readFileSync(logFile, 'utf8')]) expect(where).not.toMatch(/hunter2/);
    expect(readFileSync(logFile, 'utf8')).toContain('/browser/type');
  });

  test('where the page has no such element it is 422, and nothing was done', async () => {
    const id = shared;
    await act('navigate', { sessionId: id, url: `${site.url}/form` });
    const before = await audited(id);
    for (const [verb, body] of [
      ['click', { selector: '#nobody' }],
      ['click', { selector: '#hidden' }],
      ['click', { selector: '###' }],
      ['type', { selector: '#nobody', text: 'x' }],
    ] as const) {
      const { status, json } = await act(verb, { sessionId: id, ...body });
      expect([status, json]).toMatchObject([422, { detail: [{ loc: ['body', 'selector'], input: body.selector }] }]);
    }
    expect(await audited(id)).toEqual(before);
  });

  test.each([
    ['no selector', 'click', {}, 'selector'],
    ['an empty selector', 'click', { selector: '' }, 'selector'],
    ['a long selector', 'click', { selector: 'x'.repeat(2_001) }, 'selector'],
    ['no text', 'type', { selector: 'p' }, 'text'],
    ['a number as text', 'type', { selector: 'p', text: 7 }, 'text'],
    ['a long text', 'type', { selector: 'p', text: 'x'.repeat(100_001) }, 'text'],
    ['a word for submit', 'type', { selector: 'p', text: 'x', submit: 'yes' }, 'submit'],
    ['an unknown format', 'content', { format: 'pdf' }, 'format'],
    ['a number for full_page', 'screenshot', { full_page: 1 }, 'full_page'],
  ])('%s for %s: 422', async (_what, verb, body, place) => {
    const { status, json } = await act(verb, { sessionId: 'brs_none', ...body });
    expect([status, json]).toMatchObject([422, { detail: [{ loc: ['body', place] }] }]);
  });

  test('a click does not lead where a navigation may not: hosts that are open for other purposes are closed here', async () => {
    const id = shared;
    await act('navigate', { sessionId: id, url: `${site.url}/form` });
    const { status, json } = await act('click', { sessionId: id, selector: '#in' });
    expect([status, json['error']]).toEqual([403, 'address_not_allowed']);
    expect((await act('navigate', { sessionId: id, url: internal.url })).status).toBe(403);
    // The gateway's own paths, which are only for programs of sessions.
    expect((await act('navigate', { sessionId: id, url: 'http://127.0.0.1/npm/left-pad' })).status).toBe(403);
    expect(internal.hits).toEqual([]);
  });

  test('with the network `allowlist` only the hosts of the list are there', async () => {
    const put = (value: object) => api.call('PUT', `${org}/settings/sandbox`, { body: value });
    await put({ network: 'allowlist', allowed_hosts: ['example.com'] });
    const narrow = await open();
    expect((await act('navigate', { sessionId: narrow, url: site.url })).json['error']).toBe('address_not_allowed');
    await put({ network: 'allowlist', allowed_hosts: [site.target] });
    expect((await act('navigate', { sessionId: await open(), url: site.url })).status).toBe(200);
    await api.call('DELETE', `${org}/settings/sandbox`);
  });

  test('a picture of the page, which becomes an artifact of the session that was named', async () => {
    const { json: session } = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x' } });
    const missing = await create({ session_id: 'ses_none' });
    expect([missing.status, missing.json['error']]).toEqual([404, 'session_not_found']);
    const id = await open({ session_id: session['id'] });
    await act('navigate', { sessionId: id, url: site.url });
    const { status, json } = await act('screenshot', { sessionId: id, full_page: true });
    const picture = Buffer.from(String(json['data']), 'base64');
    expect([status, { ...json, data: '' }]).toEqual([
      200,
      { sessionId: id, url: `${site.url}/`, title: 'Home', content_type: 'image/png', data: '' },
    ]);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    const artifacts = await api.call('GET', `${org}/sessions/${String(session['id'])}/artifacts`);
    expect(artifacts.json['items']).toMatchObject([
      { name: expect.stringMatching(/^screenshot-.*\.png$/), content_type: 'image/png', size_bytes: picture.length },
    ]);
    const artifactId = String(Object(artifacts.json['items'])[0].id);
    const kept = await fetch(`${api.url}${org}/sessions/${String(session['id'])}/artifacts/${artifactId}`, {
      headers: { authorization: `Bearer ${api.adminKey}` },
    });
    expect(Buffer.from(await kept.arrayBuffer()).equals(picture)).toBe(true);
    const events = await api.call('GET', `${org}/sessions/${String(session['id'])}/events?first=200`);
    expect(events.text).toContain(artifactId);
    expect(await audited(id)).toContainEqual([
      'browser_session.screenshot',
      { session_id: session['id'], artifact_id: artifactId },
    ]);
  });
});

describe('a browser ends', () => {
  /** Checks that a session returns 404, and that none of its processes runs. */
  async function isGone(id: string): Promise<void> {
    await until(() => worker.browsers?.open() === 0, 'the browser to close');
    await until(() => processesOf(id).length === 0, 'its processes to end');
    expect((await get(id)).json).toEqual(notFound);
    expect((await act('content', { sessionId: id })).json).toEqual(notFound);
    const { rows } = await api.ctx.db.pool.query('select url, title from browser_sessions where id = $1', [id]);
    expect(rows).toEqual([{ url: '', title: '' }]);
  }

  test('when nobody uses it for five minutes', async () => {
    const id = await open();
    await act('navigate', { sessionId: id, url: site.url });
    aheadMs = 4.9 * 60_000;
    expect((await act('content', { sessionId: id })).status).toBe(200);
    aheadMs = 9.8 * 60_000;
    expect((await act('content', { sessionId: id })).status).toBe(200);
    aheadMs = 15 * 60_000;
    await isGone(id);
  });

  test('after half an hour, however busy it is', async () => {
    const id = await open();
    // Less than five minutes lie between two uses, also when they take a while.
    for (const minutes of [4, 8, 12, 16, 20, 24, 28]) {
      aheadMs = minutes * 60_000;
      expect((await act('content', { sessionId: id })).status).toBe(200);
    }
    aheadMs = 30.1 * 60_000;
    await isGone(id);
  });

  test('when Chromium crashes', async () => {
    const id = await open();
    const browsers = processesOf(id).filter(({ command }) => command.includes('chromium'));
    expect(browsers.map(({ pid }) => end(pid))).toContain(true);
    await isGone(id);
  });

  test('when its page uses up its memory, and says so', async () => {
    const id = await open();
    await act('navigate', { sessionId: id, url: `${site.url}/hungry` });
    const said = { error: 'browser_session_not_found', message: expect.stringContaining('memory of its sandbox') };
    const content = () => act('content', { sessionId: id });
    await expect.poll(async () => (await content()).json, { timeout: 60_000 }).toEqual(said);
    expect((await get(id)).json).toEqual(said);
    const elsewhere = await api.createOrganization('Not theirs');
    expect((await get(id, elsewhere.key)).text).not.toContain('memory');
  });

  test('when its organization is suspended', async () => {
    const { id: orgId, slug, key } = await api.createOrganization('Suspended');
    const id = await open({}, key);
    await suspendOrganization(api.ctx, orgId, true);
    await until(() => worker.browsers?.open() === 0, 'the browser to close');
    await suspendOrganization(api.ctx, slug, false);
    expect((await get(id, key)).json).toEqual(notFound);
  });

  test('when its organization is deleted', async () => {
    const { slug, key } = await api.createOrganization('Deleted');
    await open({}, key);
    expect((await api.call('DELETE', `/v3/organizations/${slug}?confirm=${slug}`, { key })).status).toBe(202);
    await until(() => worker.browsers?.open() === 0, 'the browser to close');
  });

  test('when the person who started it leaves, or its session is archived', async () => {
    const orgId = String((await api.call('GET', org)).json['id']);
    const person = await join(api, orgId, 'member');
    const theirs = await open({}, await personalKey(api, orgId, person));
    const { json: session } = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x' } });
    const ofSession = await open({ session_id: session['id'] });
    const mine = await open();
    await until(
      async () => (await api.call('POST', `${org}/sessions/${String(session['id'])}/archive`)).status === 200,
      'a session without a model to end',
    );
    expect((await api.call('DELETE', `${org}/members/${person}`)).status).toBe(204);
    await until(() => worker.browsers?.open() === 1, 'two browsers to close');
    expect((await get(theirs)).status).toBe(404);
    expect((await get(ofSession)).status).toBe(404);
    expect((await get(mine)).status).toBe(200);
  });

  test('with its worker: killed, its session is over as soon as the silence shows', { timeout: 60_000 }, async () => {
    const script = new URL('../../../test/support/worker-child.ts', import.meta.url);
    const directory = mkdtempSync(pathOf(api.ctx.config.data, 'killed-'));
    const child = spawnChild(script, [api.ctx.config.data, api.connectionString, api.url, directory]);
    const pid = await child.number('started');
    // The other worker is full.
    await occupy('the worker', 3);
    const id = await open();
    expect(processesOf(id).length).toBeGreaterThan(1);
    process.kill(pid, 'SIGKILL');
    await child.exited;
    await until(() => processesOf(id).length === 0, 'its processes to end with it');
    const startedAt = performance.now();
    await until(async () => (await get(id)).status === 404, 'the silence to show');
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect((await act('content', { sessionId: id })).json).toEqual(notFound);
    await reapBrowsers(api.ctx);
    const { rows } = await api.ctx.db.pool.query(
      'select ended_at is not null as ended from browser_sessions where id = $1',
      [id],
    );
    expect(rows).toEqual([{ ended: true }]);
  });
});

describe('there are only so many', () => {
  test('503 when every worker is full, however many ask at once; a closed one makes room', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 503, 503, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.json).toEqual({ error: 'capacity_unavailable', message: expect.stringContaining('3') });
    const one = answers.find(({ status }) => status === 201);
    await api.call('DELETE', `/browser/sessions/${String(one?.json['sessionId'])}`);
    expect((await create()).status).toBe(201);
  });

  test('calls for one browser: who keeps it busy keeps no other browser waiting', async () => {
    const [id, other] = [await open(), await open()];
    const calls = Array.from({ length: 40 }, () => act('navigate', { sessionId: id, url: `${site.url}/never` }));
    const refused = await Promise.race(calls);
    expect([refused.status, refused.json['error']]).toEqual([503, 'capacity_unavailable']);
    expect((await act('navigate', { sessionId: other, url: `${site.url}/` })).status).toBe(200);
    await api.call('DELETE', `/browser/sessions/${id}`);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 503)).toEqual(Array.from({ length: 6 }, () => 404));
  });

  test('429 when the organization has eight, while others still get one', async () => {
    await api.ctx.db.pool.query(
      `insert into workers (id, host, slots, browser_slots, seen_at) values ('far away', '', 0, 8, now() + interval '1 hour')`,
    );
    await occupy('far away', 8);
    const { status, headers, json } = await create();
    expect([status, json]).toEqual([429, { error: 'rate_limited', message: expect.stringContaining('8') }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const { key } = await api.createOrganization('Modest');
    expect((await create({}, key)).status).toBe(201);
    await api.ctx.db.pool.query(`delete from workers where id = 'far away'`);
  });
});
