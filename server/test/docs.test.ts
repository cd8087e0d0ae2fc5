import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { features } from '../src/features/index.ts';
import { isScope } from '../src/lib/scopes.ts';
import { commandsOf, pages, type ShellCommand } from './support/documents.ts';
import { closedValidators } from './support/openapi.ts';

const inOrganization = '/v3/organizations/{}';
const documents = pages();
let operations: Map<string, object>;
let checks: ReturnType<typeof closedValidators>;

beforeAll(() => {
  const document: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../client/openapi.json'), 'utf8'));
  checks = closedValidators(Object(document));
  operations = new Map(
    Object.entries(Object(Object(document).paths)).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]): [string, object] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
        Object(operation),
      ]),
    ),
  );
});

/** Returns the operation of a path as documents write it; undefined if there is none. */
function operationAt(method: string, written: string): object | undefined {
  const path = written
    .replace(/\?.*$/, '')
    .replace(/^\$ORG(?=\/|$)/, inOrganization)
    .replace(/^\$URL/, '')
    .replaceAll(/\$\{?[A-Z_]+\}?|<[^>]+>|\{\w+\}|\b[a-z]{3}_…/g, '{}');
  const wanted = path.startsWith('…') ? [path.slice(1)] : [path, `${inOrganization}${path}`];
  const [found] = [...operations]
    .filter(([name]) => wanted.some((one) => isAt(name, method, one, path.startsWith('…'))))
    // A literal is meant rather than a parameter.
    .toSorted(([a], [b]) => a.split('{}').length - b.split('{}').length);
  return found?.[1];
}

function isAt(name: string, method: string, path: string, isEnd: boolean): boolean {
  const [of, at = ''] = name.split(' ');
  const [own, theirs] = [path.split('/'), at.split('/')];
  const compared = isEnd ? theirs.slice(theirs.length - own.length + 1) : theirs.slice(1);
  return (
    of === method &&
    compared.length === own.length - 1 &&
    own.slice(1).every((segment, index) => compared[index] === segment || compared[index] === '{}')
  );
}

/** Outside of the document: for load balancers, and for git. */
const others = /\/(?:healthz|readyz|preview\/\d+\/|git\/.*)$/;

interface Request {
  method: string;
  path: string;
  /** The JSON, with a word for each variable; undefined for none. */
  body: string | undefined;
}

/** Returns what a command sends to the API; undefined for another command. */
function requestOf({ text }: ShellCommand): Request | undefined {
  const [, path] =
    /(?:^|[($ ])(?:api|curl) .*?"?(\$(?:URL|ORG)[^\s"|)]*)/s.exec(
      text.replaceAll(/'[^']*'/g, (part) => part.replaceAll('$', ' ')),
    ) ?? [];
  if (path === undefined) return undefined;
  const [, json] = / -d '((?:[^']|'\$[A-Z]+')*)'/s.exec(text) ?? [];
  const sends = / (?:-d|-F|--data-binary) /.test(text);
  const [, method = sends ? 'POST' : 'GET'] = / -X (\w+)/.exec(text) ?? [];
  return { method, path, body: json?.replaceAll(/'\$[A-Z]+'/g, 'x') };
}

describe.each([...documents])('%s', (_path, page) => {
  test('names operations that exist', () => {
    const named = [...page.matchAll(/`(GET|POST|PUT|PATCH|DELETE) ([^`\s]+)[^`]*`/g)];
    const missing = named.filter(
      ([, method = '', path = '']) => !others.test(path) && operationAt(method, path) === undefined,
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  test('sends what the API takes', () => {
    for (const command of commandsOf(page)) {
      const request = requestOf(command);
      if (request === undefined || others.test(request.path)) continue;
      const operation = operationAt(request.method, request.path);
      expect([command.text, operation]).toEqual([command.text, expect.any(Object)]);
      const { $ref } = Object(Object(operation).requestBody?.content?.['application/json']?.schema);
      if (request.body === undefined || $ref === undefined) continue;
      expect([command.text, checks($ref)(JSON.parse(request.body))]).toEqual([command.text, '']);
    }
  });

  test('sends no value that a header refuses', () => {
    for (const { text } of commandsOf(page)) expect(text).not.toMatch(/"(?:value|token)": "[^"]*[^\x20-\x7e"]/);
  });

  test('uses variables that were set before, here or in the README', () => {
    const set = new Set<string>();
    const begin = documents.get('README.md') ?? '';
    if (page !== begin && page.includes('README')) for (const { sets } of commandsOf(begin)) set.add(sets);
    for (const [, name = ''] of page.matchAll(/`\$([A-Z_]+)` (?:is|the|a)\b/g)) set.add(name);
    for (const { text, used, sets } of commandsOf(page)) {
      for (const name of used) expect([text, name, set.has(name)]).toEqual([text, name, true]);
      set.add(sets);
    }
  });

  test('names scopes that exist', () => {
    const scopes = [...page.matchAll(/`([a-z]+:(?:read|write))`/g)].map(([, scope = '']) => scope);
    expect(scopes.filter((scope) => !isScope(scope))).toEqual([]);
  });
});

test('operations.md names every kind of retention', () => {
  const section = /^## Retention$.*?(?=^## )/ms.exec(documents.get('docs/operations.md') ?? '')?.[0] ?? '';
  const named = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind = '']) => kind);
  const kinds = features.flatMap(({ retention = [] }) => retention.map(({ kind }) => kind));
  // The cache is removed by each worker, and not by a job.
  expect(new Set(named)).toEqual(new Set([...kinds, 'cache']));
});
