import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { openStream } from './support/event-stream.ts';
import { madeIn } from './support/fixture.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';
import { headersOf, undeclared } from './support/openapi.ts';

let api: TestApi;
let mine: Inventory;
let document: Record<string, unknown>;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_RATE_LIMIT: '200:1000' });
  mine = await stock(api, 'default', api.adminKey);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
});
afterAll(() => api.close());

/** Required query parameters of reads. */
const queries = ofAll(({ queries: some }) => some);
/** One calls a worker, and none runs here; the others never end. */
const others = new Set(['listMcpServerTools', 'streamSessionEvents', 'streamOrganizationEvents']);

test('every read sends the headers that the document names, and no other', async () => {
  const wrong: unknown[] = [];
  const seen = new Set<string>();
  for (const [path, { get: operation }] of Object.entries<{ get?: object }>(Object(document['paths']))) {
    const { operationId } = Object(operation);
    if (operation === undefined || others.has(operationId)) continue;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
    const query = queries[operationId]?.(mine) ?? '';
    const { status, headers } = await api.call('GET', `${url}${query}`, { redirect: 'manual' });
    const named = headersOf(document, operation, status);
    const missing = status < 400 ? named.filter((name) => !headers.has(name)) : [];
    const unexpected = undeclared(document, operation, status, headers);
    if (missing.length + unexpected.length > 0) wrong.push({ operationId, status, missing, unexpected });
    for (const name of headers.keys()) seen.add(name);
  }
  expect(wrong).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining(['location', 'content-disposition', 'ratelimit-limit']));
});

test('a stream has them too, and a refusal of who did not say who it is', async () => {
  const path = '/v3/organizations/{orgId}/sessions/{id}/events/stream';
  const { get: operation } = Object(document['paths'])[path];
  const url = `/v3/organizations/default/sessions/${madeIn(mine, 'sessions/{id}')}/events/stream`;
  const stream = await openStream(api, url);
  await stream.leave();
  expect(undeclared(document, operation, 200, stream.headers)).toEqual(['x-accel-buffering']);
  const { status, headers } = await api.call('GET', url, { key: '' });
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(undeclared(document, operation, 401, headers)).toEqual([]);
});
