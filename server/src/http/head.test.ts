import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { parameterOf, ofAll, stock, type Inventory } from '../../test/support/inventory.ts';

let api: TestApi;
let mine: Inventory;
let document: Record<string, unknown>;
beforeAll(async () => {
  api = await startTestApi();
  mine = await stock(api, 'default', api.adminKey);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
});
afterAll(() => api.close());

const queries = ofAll(({ queries: some }) => some);
/** They ask others, or belong to the way of a browser. */
const without = new Set(['listMcpServerTools', 'openSessionTerminal', 'previewSessionPort', 'startSso', 'finishSso']);
/** Headers that differ between any two responses; a signed link has its time. */
const own = /^(?:date|x-request-id|ratelimit-\w+|location|connection|keep-alive|transfer-encoding)$/;

function shown(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !own.test(name)));
}

async function both(url: string): Promise<{ get: Response; head: Response }> {
  const headers = { authorization: `Bearer ${api.adminKey}` };
  const get = await fetch(`${api.url}${url}`, { headers, redirect: 'manual' });
  const isStream = (get.headers.get('content-type') ?? '').startsWith('text/event-stream');
  await (isStream ? get.body?.cancel() : get.arrayBuffer());
  const head = await fetch(`${api.url}${url}`, { method: 'HEAD', headers, redirect: 'manual' });
  expect(await head.text()).toBe('');
  return { get, head };
}

test('HEAD is wherever GET is, with the same status and headers and without a body', async () => {
  let looked = 0;
  for (const [path, methods] of Object.entries(Object(document['paths']))) {
    const operation = Object(methods).get;
    if (operation === undefined || without.has(operation.operationId)) continue;
    let url: string;
    try {
      url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
    } catch {
      continue;
    }
    const { get, head } = await both(`${url}${queries[operation.operationId]?.(mine) ?? ''}`);
    const { 'content-length': length, ...rest } = shown(get.headers);
    const { 'content-length': told, ...same } = shown(head.headers);
    expect([path, head.status, same]).toEqual([path, get.status, rest]);
    // What a body counts may have changed meanwhile, but hardly its length.
    if (length !== undefined && told !== undefined) expect(Math.abs(Number(length) - Number(told))).toBeLessThan(10);
    looked += 1;
  }
  expect(looked).toBeGreaterThan(70);
});

test.each(['/healthz', '/readyz', '/openapi.json', '/docs/', '/console/-/sign-in'])(
  '%s answers HEAD too',
  async (path) => {
    const { get, head } = await both(path);
    expect([path, head.status, head.headers.get('content-type')]).toEqual([path, 200, get.headers.get('content-type')]);
  },
);

test('the document has no HEAD', () => {
  const methods = Object.values(Object(document['paths'])).flatMap((operations) => Object.keys(Object(operations)));
  expect(methods).not.toContain('head');
});

test('HEAD is refused as GET is, and answers If-None-Match', async () => {
  const org = '/v3/organizations/default';
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${api.adminKey}`, ...headers } });
  expect((await ask(`${org}/groups`, { authorization: '' })).status).toBe(401);
  expect((await ask(`${org}/groups/grp_none`)).status).toBe(404);
  const etag = (await ask(org)).headers.get('etag') ?? '';
  expect((await ask(org, { 'if-none-match': etag })).status).toBe(304);
});
