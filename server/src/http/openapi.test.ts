import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { chromiumPath, needsBrowser } from '../../test/support/chromium.ts';
import { sendRaw } from '../../test/support/raw.ts';
import { introduction } from './openapi-introduction.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { key: '', headers });
const paths = ['/openapi.json', '/openapi.yaml', '/docs', '/docs/', '/docs/js/scalar.js'];

describe.each(paths)('%s', (path) => {
  test('is not sent again to who has it', async () => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const { status, text, headers } = await get(path, { 'if-none-match': known });
      expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    const { status, text } = await get(path, { 'if-none-match': '"other"' });
    expect([status, text]).toEqual([200, first.text]);
  });

  test('is compressed for who takes gzip, and for nobody else', async () => {
    const plain = await bytesOf(path, 'identity');
    expect(plain.encoding).toBeUndefined();
    for (const takes of ['gzip', 'deflate, gzip;q=0.5', 'br, *']) {
      const { encoding, bytes, vary } = await bytesOf(path, takes);
      expect([takes, encoding, vary]).toEqual([takes, 'gzip', 'accept-encoding']);
      expect(bytes.length).toBeLessThan(plain.bytes.length);
      expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
    }
    for (const refuses of ['gzip;q=0', 'br', 'gzip;q=0, *', '*;q=0'])
      expect([refuses, (await bytesOf(path, refuses)).encoding]).toEqual([refuses, undefined]);
  });

  test('has the headers that every answer has', async () => {
    const { headers } = await get(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });
});

async function bytesOf(path: string, accepts: string) {
  const { headers, bytes } = await sendRaw(api, 'GET', path, { 'accept-encoding': accepts });
  return { encoding: headers['content-encoding'], vary: headers.vary, bytes };
}

describe('the introduction', () => {
  const sessions = '/v3/organizations/default/sessions';

  test('begins with a request that works', async () => {
    const [, path = '', raw = ''] = /^curl "\$GUILDHALL_URL(\S+)".*-d '([^']+)'$/ms.exec(introduction) ?? [];
    expect(path).toBe(sessions);
    const { status } = await api.call('POST', path, { raw });
    expect(status).toBe(201);
  });

  test('shows an error as it comes', async () => {
    const [, shown = ''] = /^```json\n(.*?)\n```$/ms.exec(introduction) ?? [];
    const { json } = await api.call('POST', sessions, { body: { prompt: 'x', budget: { max_turns: 0 } } });
    expect({ ...json, request_id: '' }).toEqual({ ...JSON.parse(shown), request_id: '' });
    expect(json['request_id']).toMatch(/^req_\w{26}$/);
  });

  test('names headers, fields and operations that the document has', async () => {
    const { text } = await get('/openapi.json');
    const names = [...introduction.matchAll(/`((?:x|ratelimit|idempotent|retry)-[a-z-]+)\b/gi)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(8);
    const written = text.replaceAll(JSON.stringify(introduction), '');
    for (const name of names) expect([name, written.includes(`${name}`)]).toEqual([name, true]);
  });
});

describe('the reference page in a browser', () => {
  needsBrowser();

  test('shows the examples, and asks nobody else, under a policy that lets it run nothing but its own', async () => {
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      env: { PATH: process.env['PATH'] ?? '' },
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      const origins = new Set<string>();
      page.on('request', (asked) => origins.add(new URL(asked.url()).origin));
      const answer = await page.goto(`${api.url}/docs#tag/roles/PUT/v3/organizations/{orgId}/roles`);
      expect(answer?.headers()['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self' 'sha256-[^ ]+'; /,
      );
      const operation = page.getByRole('region', { name: 'Assign a role' });
      await operation.getByText('"email": "ada@example.com"').waitFor();
      await operation.getByRole('button', { name: /Test Request/ }).click();
      await page.getByRole('dialog').getByText('ada@example.com').waitFor();
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([api.url]);
    } finally {
      await browser.close();
    }
  });
});
