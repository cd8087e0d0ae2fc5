import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';

let api: TestApi;
let mine: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  mine = await stock(api, 'default', api.adminKey);
});
afterAll(() => api.close());

interface Parameter {
  name: string;
  in: string;
}

/** Required query parameters of reads. */
const required = ofAll(({ queries }) => queries);

/** Returns the reads with this query parameter, each with its URL up to that parameter. */
async function readsWith(parameter: string): Promise<[operation: string, url: string][]> {
  const { json } = await api.call('GET', '/openapi.json', { key: '' });
  return Object.entries(Object(json['paths'])).flatMap(([path, methods]): [string, string][] => {
    const { operationId, parameters = [] } = Object(Object(methods).get);
    if (!parameters.some(({ name, in: place }: Parameter) => place === 'query' && name === parameter)) return [];
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
    const others = new URLSearchParams(required[operationId]?.(mine) ?? '');
    others.delete(parameter);
    return [[operationId, `${url}?${[...others].map(([name, value]) => `${name}=${value}&`).join('')}${parameter}=`]];
  });
}

test('an empty search is refused wherever there is one', async () => {
  const reads = await readsWith('search');
  expect(reads.length).toBeGreaterThan(10);
  for (const [operation, url] of reads) {
    const { status, json } = await api.call('GET', url);
    // Operations without a version have an envelope of their own.
    if (url.startsWith('/v3/'))
      expect([operation, status, json['message']]).toEqual([
        operation,
        400,
        'query.search must have at least 1 character.',
      ]);
    else
      expect([operation, status, json]).toMatchObject([
        operation,
        422,
        { detail: [{ loc: ['query', 'search'], type: 'string_too_short' }] },
      ]);
    expect([operation, (await api.call('GET', `${url}x`)).status]).toEqual([operation, 200]);
  }
});

/** It names one repository, which must exist. */
const ofOne = new Set(['getEffectiveGuardrails']);

test('a filter for repositories refuses what is not owner/name', async () => {
  const reads = (await readsWith('repo')).filter(([operation]) => !ofOne.has(operation));
  expect(reads.length).toBeGreaterThan(15);
  for (const [operation, url] of reads) {
    for (const text of ['zz', 'acme/', '/web', 'acme//web', 'a%20b/web', 'gitea:acme/web'])
      expect([operation, text, (await api.call('GET', `${url}${text}`)).status]).toEqual([operation, text, 400]);
    expect([operation, (await api.call('GET', `${url}acme/.github`)).status]).toEqual([operation, 200]);
  }
});
