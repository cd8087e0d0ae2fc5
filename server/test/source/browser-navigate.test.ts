import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlaywrightDriver } from '../../src/adapters/browser/playwright/driver.ts';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';
import { browserProblem, needsBrowser } from '../support/chromium.ts';
import { startSite, type Site } from '../support/pages.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const path = '/browser/navigate';

let site: Site;
let internal: Site;
let api: TestApi;
let worker: TestWorker;
/** An allowed address where nothing listens: its port is taken for every address. */
let nobody: string;
let session: string;
let elsewhere: { id: string; slug: string; key: string };
needsBrowser();

beforeAll(async () => {
  site = await startSite({
    '/': '<title>The title</title><p>Hello</p>',
    '/untitled': '<p>Hello</p>',
    '/titled%20oddly': '<title>  Ünï\u{1f600} &amp; more\n  text </title>',
    '/moved': (_request, response) => response.writeHead(302, { location: '/' }).end(),
    '/inwards': (_request, response) => response.writeHead(302, { location: `${internal.url}/secret` }).end(),
    '/gone': (_request, response) =>
      response.writeHead(410, { 'content-type': 'text/html' }).end('<title>Gone</title>'),
    '/endless': () => undefined,
    '/hangup': (_request, response) => response.destroy(),
  });
  internal = await startSite({ '/': '<title>Internal</title>', '/secret': '<title>Secret</title>' });
  nobody = site.target.replace('127.0.0.1', '127.0.0.3');
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: `browser=${site.target},browser=${nobody}` });
  worker = await startTestWorker(api.ctx, api.url, { browsers: { slots: 3, navigationTimeoutMs: 3_000 } });
  elsewhere = await api.createOrganization('Elsewhere');
  session = browserProblem === '' ? await open() : '';
});
afterAll(async () => {
  await worker.close();
  await api.close();
  await Promise.all([site.close(), internal.close()]);
});

async function open(): Promise<string> {
  const { status, json } = await api.call('POST', '/browser/sessions', { body: {} });
  expect(status).toBe(201);
  return String(json['sessionId']);
}

function navigate(body: unknown, key = api.adminKey): Promise<Answer> {
  return api.call('POST', path, { key, body });
}

/** The envelope of the unversioned operations: two strings and nothing else. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/) };
}

/** Checks a validation error body (section 2): every entry has the five members, and `loc` has only strings. */
function detailOf({ status, json }: Answer): { loc: string[]; type: string }[] {
  expect([status, Object.keys(json)]).toEqual([422, ['detail']]);
  const { detail } = json;
  if (!Array.isArray(detail)) throw new Error(`${JSON.stringify(json)} has no detail.`);
  expect(detail.length).toBeGreaterThan(0);
  for (const entry of detail) {
    expect(Object.keys(entry).toSorted()).toEqual(['ctx', 'input', 'loc', 'msg', 'type']);
    expect(entry).toMatchObject({ msg: expect.stringMatching(/\S/), type: expect.stringMatching(/^[a-z_]+$/i) });
    expect(typeof entry.ctx).toBe('object');
    expect(entry.loc.every((step: unknown) => typeof step === 'string')).toBe(true);
  }
  return detail;
}

describe('source 4.9, navigate a browser session: method, path and scope', () => {
  test('POST /browser/navigate takes run, and that alone suffices', async () => {
    const body = { sessionId: session, url: `${site.url}/` };
    expect((await navigate(body, await api.keyWith(['run']))).status).toBe(200);
    for (const scope of scopes.filter((other) => other !== 'run')) {
      const { status, json } = await navigate(body, await api.keyWith([scope]));
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('run');
    }
  });

  test('without a key it is 401', async () => {
    const { status, json } = await navigate({ sessionId: session, url: `${site.url}/` }, '');
    expect([status, json]).toEqual([401, envelope('unauthorized')]);
  });

  test('no other method navigates, and /v3 has no such path', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'GET']) {
      const options = method === 'GET' ? {} : { body: { sessionId: session, url: site.url } };
      const { status, json } = await api.call(method, path, options);
      expect([method, status, json]).toEqual([method, 404, envelope('not_found')]);
    }
    expect((await api.call('POST', `/v3${path}`, { body: {} })).status).toBe(404);
  });
});

describe('source 4.9: effect and answer', () => {
  test('navigates to the URL and returns the page title', async () => {
    const { status, headers, json } = await navigate({ sessionId: session, url: `${site.url}/` });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual({ sessionId: session, url: `${site.url}/`, title: 'The title', status: 200 });
    expect(site.hits).toContain('/');
    expect((await api.call('GET', `/browser/sessions/${session}`)).json).toMatchObject({
      sessionId: session,
      url: `${site.url}/`,
      title: 'The title',
    });
  });

  test.each([
    ['/untitled', { title: '', status: 200 }],
    ['/titled%20oddly', { title: 'Ünï\u{1f600} & more text', status: 200 }],
    ['/gone', { title: 'Gone', status: 410 }],
    ['/nowhere', { title: 'Not here', status: 404 }],
  ])('%s: what the page says, whatever status it has', async (at, expected) => {
    const url = `${site.url}${at}`;
    const { status, json } = await navigate({ sessionId: session, url });
    expect([status, json]).toEqual([200, { sessionId: session, url, ...expected }]);
  });

  test('url is where a redirect led', async () => {
    const { json } = await navigate({ sessionId: session, url: `${site.url}/moved` });
    expect(json).toEqual({ sessionId: session, url: `${site.url}/`, title: 'The title', status: 200 });
  });

  test('unknown keys are ignored', async () => {
    const { status } = await navigate({ sessionId: session, url: `${site.url}/`, more: true, session_id: 7 });
    expect(status).toBe(200);
  });

  test('with an Idempotency-Key a repetition goes nowhere, and answers the same', async () => {
    const ask = (url: string) =>
      api.call('POST', path, { body: { sessionId: session, url }, headers: { 'idempotency-key': 'navigate-1' } });
    const first = await ask(`${site.url}/untitled`);
    const before = site.hits.length;
    const again = await ask(`${site.url}/untitled`);
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([200, first.json, 'true']);
    expect(site.hits.length).toBe(before);
    expect((await ask(`${site.url}/`)).json).toEqual(envelope('idempotency_conflict'));
  });

  test('is on record with the host, and nothing of the path or the query', async () => {
    await navigate({ sessionId: session, url: `${site.url}/untitled?token=hunter2` });
    const { rows } = await api.ctx.db.pool.query<{ changes: unknown; resource_id: string }>(
      `select changes, resource_id from audit_entries where action = 'browser_session.navigate' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ changes: { host: site.target }, resource_id: session }]);
  });
});

describe('source 4.9: failed validation', () => {
  test.each([
    [
      {},
      [
        ['body', 'sessionId'],
        ['body', 'url'],
      ],
    ],
    [{ sessionId: 'brs_x' }, [['body', 'url']]],
    [{ url: 'http://example.com' }, [['body', 'sessionId']]],
    [{ sessionId: 7, url: 'http://example.com' }, [['body', 'sessionId']]],
    [{ sessionId: 'brs_x', url: null }, [['body', 'url']]],
    [{ sessionId: 'brs_x', url: ['http://example.com'] }, [['body', 'url']]],
    [{ sessionId: 'x'.repeat(65), url: 'http://example.com' }, [['body', 'sessionId']]],
    [{ sessionId: 'brs_x', url: '' }, [['body', 'url']]],
    [{ sessionId: 'brs_x', url: `http://example.com/${'x'.repeat(8_192)}` }, [['body', 'url']]],
    [[], [['body']]],
    [null, [['body']]],
    ['text', [['body']]],
  ])('%j is 422 and names %j', async (body, places) => {
    const detail = detailOf(await navigate(body));
    expect(detail.map(({ loc }) => loc)).toEqual(places);
  });

  test('what is no JSON is 422', async () => {
    const broken = await api.call('POST', path, { raw: '{"sessionId":' });
    expect(detailOf(broken)).toMatchObject([{ loc: ['body'], type: 'json_invalid' }]);
  });

  test.each([
    'file:///etc/passwd',
    'data:text/html,<title>x</title>',
    'javascript:alert(1)',
    'view-source:http://example.com/',
    'ftp://example.com/',
    'about:blank',
    'chrome://version',
    'ws://example.com/',
    'blob:http://example.com/x',
    'FILE:///etc/passwd',
    ' file:///etc/passwd',
    'example.com',
    '/path',
    '//example.com/',
    'http://',
    'http://user:password@example.com/',
    'http://example.com:99999/',
  ])('%s is 422', async (url) => {
    const detail = detailOf(await navigate({ sessionId: session, url }));
    expect(detail).toMatchObject([{ loc: ['body', 'url'], input: url }]);
  });

  test('a URL of 8,192 characters is taken, one more is not', async () => {
    const longest = `${site.url}/${'x'.repeat(8_192 - site.url.length - 1)}`;
    expect((await navigate({ sessionId: session, url: longest })).json).toMatchObject({ status: 404 });
    detailOf(await navigate({ sessionId: session, url: `${longest}x` }));
  });

  test('comes before anything is looked for', async () => {
    detailOf(await navigate({ sessionId: 'brs_none', url: 'file:///etc/passwd' }));
  });
});

describe('source 4.9 and the contract: what else it answers', () => {
  test('404 browser_session_not_found, the same for one of another organization', async () => {
    const url = `${site.url}/`;
    const missing = await navigate({ sessionId: 'brs_none', url });
    expect([missing.status, missing.json]).toEqual([404, envelope('browser_session_not_found')]);
    const foreign = await navigate({ sessionId: session, url }, elsewhere.key);
    expect([foreign.status, foreign.text.replace(session, 'brs_none')]).toEqual([404, missing.text]);
    expect((await navigate({ sessionId: session, url })).status).toBe(200);
  });

  test('403 address_not_allowed: a loopback page that the operator did not open, also behind a redirect', async () => {
    for (const url of [
      `${internal.url}/`,
      internal.url.replace('127.0.0.1', 'localhost'),
      internal.url.replace('127.0.0.1', '2130706433'),
      internal.url.replace('127.0.0.1', '[::1]'),
      'http://169.254.169.254/latest/meta-data/',
      'https://10.0.0.1/',
      `${site.url}/inwards`,
    ]) {
      const { status, json } = await navigate({ sessionId: session, url });
      expect([url, status, json]).toEqual([url, 403, envelope('address_not_allowed')]);
    }
    expect(internal.hits).toEqual([]);
  });

  test('502 navigation_failed: nobody there, and one that hangs up', async () => {
    const refused = await navigate({ sessionId: session, url: `http://${nobody}/path?token=hunter2` });
    expect([refused.status, refused.json]).toEqual([502, envelope('navigation_failed')]);
    expect(refused.text).toContain(nobody);
    expect(refused.text).not.toContain('hunter2');
    const hungUp = await navigate({ sessionId: session, url: `${site.url}/hangup` });
    expect([hungUp.status, hungUp.json]).toEqual([502, envelope('navigation_failed')]);
  });

  test('504 navigation_timeout: a page that never comes; the next one does', async () => {
    const { status, json } = await navigate({ sessionId: session, url: `${site.url}/endless` });
    expect([status, json]).toEqual([504, envelope('navigation_timeout')]);
    expect((await navigate({ sessionId: session, url: `${site.url}/` })).json).toMatchObject({ title: 'The title' });
  });

  test('415 for another media type, 413 for too much', async () => {
    const text = await api.call('POST', path, { raw: 'x', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json]).toEqual([415, envelope('unsupported_media_type')]);
    const large = await navigate({ sessionId: session, url: 'x'.repeat(1_100_000) });
    expect([large.status, large.json]).toEqual([413, envelope('payload_too_large')]);
  });

  test('503 capacity_unavailable, naming what to install, where no worker has a browser, and where there is none', async () => {
    await worker.close();
    const gone = await navigate({ sessionId: session, url: `${site.url}/` });
    expect([gone.status, gone.json]).toEqual([404, envelope('browser_session_not_found')]);
    const without = async (): Promise<void> => {
      const { status, json } = await api.call('POST', '/browser/sessions', { body: {} });
      expect([status, json]).toEqual([503, envelope('capacity_unavailable')]);
      expect(json['message']).toContain('chromium-headless-shell');
    };
    await without();
    worker = await startTestWorker(api.ctx, api.url, {
      id: 'without Chromium',
      browsers: {},
      change: (ctx) => ({ ...ctx, browser: createPlaywrightDriver({ executables: ['/nowhere/chromium'] }) }),
    });
    await without();
  });
});
