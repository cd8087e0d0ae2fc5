import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isStored } from '../src/http/idempotency.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';

let api: TestApi;
let mine: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  mine = await stock(api, 'default', api.adminKey);
});
afterAll(() => api.close());

/** Valid bodies, by operation. */
const bodies = ofAll(({ bodies: some }) => some);
/** They answer later than the test waits, or end what others need. */
const without = new Set(['deleteOrganization', 'signOutEverywhere']);

/** A link with a secret, and the secret. */
const links = new Set(['prepareGitApp']);

/** Blanks what is shown only once. */
function withoutOnce(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOnce);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      /^(?:key|token|secret|webhook_secret|hook_secret|callback_token|accept_url)$/.test(name)
        ? ''
        : withoutOnce(inner),
    ]),
  );
}

test('a repeated request for a review answers with the review, also in another process', async () => {
  await api.ctx.db.pool.query('delete from reviews');
  const number = Number(parameterOf('/repositories/{id}/change-requests/{number}', 'number', mine));
  const body = { repo: 'acme/stock', number };
  const second = await api.another();
  const review = (to: TestApi) =>
    to.call('POST', '/v3/organizations/default/reviews', { body, headers: { 'idempotency-key': 'review' } });
  const [first, again] = [await review(api), await review(second)];
  await second.close();
  expect([first.status, first.json]).toEqual([202, expect.objectContaining({ number, status: 'queued' })]);
  expect([again.status, again.json]).toEqual([202, first.json]);
});

test('a repeated POST with an Idempotency-Key answers what the first one did, but for what is shown once', async () => {
  const { json: document } = await api.call('GET', '/openapi.json', { key: '' });
  const unequal: unknown[] = [];
  let succeeded = 0;
  for (const [path, methods] of Object.entries(Object(document['paths']))) {
    const { operationId, requestBody, 'x-scope': scope } = Object(Object(methods).post);
    const media = requestBody?.content?.['application/json'];
    const isForm = requestBody !== undefined && media === undefined;
    if (operationId === undefined || scope === 'none' || isForm || without.has(operationId)) continue;
    const [example] = Object.values<{ value: unknown }>(media?.examples ?? {});
    const body = bodies[operationId] ?? example?.value ?? {};
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
    const headers = { 'idempotency-key': `replay-${operationId}` };
    const first = await api.call('POST', url, { body, headers });
    if (links.has(operationId)) Object.assign(first.json, { url: '', state: '' });
    if (!isStored(first.status)) continue;
    if (first.status < 300) succeeded += 1;
    const again = await api.call('POST', url, { body, headers });
    const expected = [operationId, first.status, withoutOnce(first.json), 'true'];
    const answered = [operationId, again.status, withoutOnce(again.json), again.headers.get('idempotent-replayed')];
    if (!isDeepStrictEqual(answered, expected)) unequal.push({ expected, answered });
  }
  expect(unequal).toEqual([]);
  expect(succeeded).toBeGreaterThan(40);
});
