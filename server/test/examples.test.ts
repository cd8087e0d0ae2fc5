import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type CallOptions, type TestApi } from './support/api.ts';
import { madeIn } from './support/fixture.ts';
import { parameterOf, stock, type Inventory } from './support/inventory.ts';
import { closedValidators, undeclared } from './support/openapi.ts';

interface Example {
  operation: string;
  method: string;
  path: string;
  /** The schema of the body, as a reference into the document. */
  schema: string;
  isForm: boolean;
  /** `''` if the operation has none. */
  summary: string;
  value: unknown;
}

interface Media {
  schema: { $ref?: string };
  examples?: Record<string, { summary: string; value: unknown }>;
}

let api: TestApi;
let mine: Inventory;
let document: Record<string, unknown>;
beforeAll(async () => {
  api = await startTestApi();
  mine = await stock(api, 'default', api.adminKey);
  document = (await api.call('GET', '/openapi.json', { key: '' })).json;
});
afterAll(() => api.close());

/** Returns the examples of each operation with a body: as a form only where it takes no JSON. */
function examples(): Example[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).flatMap(([method, operation]) => {
      const { requestBody, operationId } = Object(operation);
      const [type = '', media] = Object.entries<Media>(requestBody?.content ?? {})[0] ?? [];
      if (media === undefined || media.schema.$ref?.endsWith('/EmptyRequest') === true) return [];
      const steps = ['paths', path, method, 'requestBody', 'content', type, 'schema'].map((step) =>
        encodeURIComponent(step.replaceAll('/', '~1')),
      );
      const schema = media.schema.$ref ?? `#/${steps.join('/')}`;
      const about = {
        operation: operationId,
        method: method.toUpperCase(),
        path,
        schema,
        isForm: type.includes('form'),
      };
      const given = Object.values(media.examples ?? { none: { summary: '', value: undefined } });
      return given.map(({ summary, value }): Example => ({ ...about, summary, value }));
    }),
  );
}

/** Returns the URL for an example, with ids of existing resources, and for settings the namespace. */
function urlOf({ path, operation, summary }: Example): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    operation === 'replaceSettings' && name === 'namespace' ? summary : parameterOf(path, name, mine),
  );
}

/** Returns a form with the files of an example. */
async function formOf(value: unknown): Promise<CallOptions> {
  const form = new FormData();
  for (const content of [Object(value).file].flat()) form.append('file', new Blob([content]), 'example.md');
  const encoded = new Response(form);
  return { raw: await encoded.bytes(), headers: { 'content-type': encoded.headers.get('content-type') ?? '' } };
}

test('every body that has fields has an example, which fits what the document says of it and has nothing more', () => {
  const validate = closedValidators(document);
  const problems = examples().map((example) => [
    example.operation,
    example.summary === '' ? 'has no example' : validate(example.schema)(example.value),
  ]);
  expect(problems.filter(([, problem]) => problem !== '')).toEqual([]);
  expect(problems.length).toBeGreaterThan(60);
});

/** Their values come with a redirect of a git host, for one use. */
const ofRedirects = new Set(['createGitApp']);

test('every example is accepted as it stands', async () => {
  const there: Record<string, string> = {
    usr: madeIn(mine, 'members/{userId}'),
    bp: madeIn(mine, 'blueprints/{id}'),
  };
  // Operations that create what others refer to come first.
  const makers = ['replaceSettings', 'createRepository', 'createSecret'];
  const inOrder = examples().toSorted((a, b) => makers.indexOf(b.operation) - makers.indexOf(a.operation));
  const outcomes = [];
  for (const example of inOrder) {
    const json = JSON.stringify(example.value).replaceAll(
      /\b(usr|bp)_\w{26}\b/g,
      (_, prefix: string) => there[prefix] ?? '',
    );
    const body = example.isForm ? await formOf(example.value) : { raw: json };
    const { status, text, headers } = await api.call(example.method, urlOf(example), body);
    const operation = Object(document['paths'])[example.path][example.method.toLowerCase()];
    expect([example.operation, status, undeclared(document, operation, status, headers)]).toEqual([
      example.operation,
      status,
      [],
    ]);
    outcomes.push({ operation: example.operation, summary: example.summary, status, text });
  }
  // Some examples name missing resources, need another state, or reach other hosts; none is invalid itself.
  const others = outcomes.filter(({ operation, status }) => status >= 300 && !ofRedirects.has(operation));
  expect(others.filter(({ status }) => ![401, 404, 409, 502].includes(status))).toEqual([]);
  expect(others.length).toBeLessThan(outcomes.length / 4);
});
