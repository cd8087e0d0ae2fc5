import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { faultOf } from './json-fault.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const org = '/v3/organizations/default';

describe('what a schema refuses is said in words', () => {
  test.each<[string, string, unknown, string]>([
    ['POST', '/groups', { name: '' }, 'body.name must not be blank.'],
    ['POST', '/groups', { name: 'x'.repeat(201) }, 'body.name must have at most 200 characters.'],
    ['POST', '/groups', { name: 7 }, 'body.name must be a string.'],
    ['POST', '/groups', [], 'body must be an object.'],
    ['POST', '/members/invites', { emails: [] }, 'body.emails must have at least 1 item.'],
    ['POST', '/members/invites', { emails: ['a@b.c'], permission: 'boss' }, 'one of admin, member, viewer.'],
    ['POST', '/repositories', { provider: 'local', repo: 'app' }, 'body.repo must be owner/name: letters, digits'],
    ['POST', '/repositories', { provider: 'local', repo: 'a/b/c' }, 'body.repo must be owner/name'],
    ['POST', '/repositories', { provider: 'local', repo: 'a/b.git' }, 'body.repo must be owner/name without .git'],
    ['PUT', '/repositories/repo_none/index', { full: true }, 'body.full is not a known key;'],
    ['DELETE', '/groups/grp_none', { force: true }, 'body.force is not a known key;'],
    ['DELETE', '/groups/grp_none', null, 'body must be an object.'],
    ['GET', '/groups?first=0', undefined, 'query.first must be at least 1.'],
    ['GET', '/groups?first=x', undefined, 'query.first must be an integer.'],
    ['GET', '/sessions?created_after=monday', undefined, 'must be a date and time such as 2026'],
  ])('%s %s %j', async (method, path, body, words) => {
    const { status, json } = await api.call(method, `${org}${path}`, body === undefined ? {} : { body });
    expect([status, json['error'], json['message']]).toEqual([400, 'invalid_request', expect.stringContaining(words)]);
  });

  test.each<[string, object, string, string]>([
    ['/sessions', { promt: 'x' }, 'prompt_required', 'body.promt is not a known key; did you mean prompt?'],
    ['/groups', { nmae: 'x' }, 'invalid_request', 'body.nmae is not a known key; did you mean name?'],
    ['/groups', { name: 'x', descripton: 'y' }, 'invalid_request', 'did you mean description?'],
    ['/groups', { colour: 'x' }, 'invalid_request', 'body.name is required.'],
  ])('POST %s %j: a key that was mistyped comes first', async (path, body, error, words) => {
    const { status, json } = await api.call('POST', `${org}${path}`, { body });
    expect([status, json['error'], json['message']]).toEqual([400, error, expect.stringContaining(words)]);
  });
});

describe('a body that is made to be judged for long', () => {
  test('is refused as a whole when it holds very many values', async () => {
    const body = { prompt: 'x', tags: Array.from({ length: 20_000 }, (_, index) => index) };
    const { status, json } = await api.call('POST', `${org}/sessions`, { body });
    expect([status, json['message']]).toEqual([400, 'body contains more than 10000 values.']);
  });

  test('is told the first of its issues, and no more than fifty', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, 0]));
    const { status, json } = await api.call('POST', `${org}/groups`, { body: { name: 'x', ...unknown } });
    expect([status, Object(json['details']).issues.length]).toEqual([400, 50]);
  });

  test.each(['/v3/auth/sign-in', '/v3/invites/token/accept'])('%s takes 16 KiB from strangers', async (path) => {
    const sized = (bytes: number): string => JSON.stringify({ x: 'y'.repeat(bytes - '{"x":""}'.length) });
    const ask = async (bytes: number): Promise<number> =>
      (
        await fetch(`${api.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: sized(bytes),
        })
      ).status;
    expect([await ask(16_384), await ask(16_385)]).toEqual([400, 413]);
  });
});

describe('what is no JSON is told where it stops being some, and why', () => {
  const cases: [string, number, string][] = [
    ['', 0, 'unexpected end, expected a value'],
    ['{"a":', 5, 'unexpected end, expected a value'],
    ['{"a"', 4, 'unexpected end, expected a colon'],
    ['{"a":1', 6, 'unexpected end, expected a comma or }'],
    ['{"a":1,}', 7, 'expected a key in quotation marks'],
    ["{'a':1}", 1, 'expected a key in quotation marks or }'],
    ['{a:1}', 1, 'expected a key in quotation marks or }'],
    ['[1 2]', 3, 'expected a comma or ]'],
    ['[1,]', 3, 'expected a value'],
    ['{"a":tru}', 5, 'expected a value'],
    ['{"a":01}', 5, 'expected a value'],
    ['{"a":1} x', 8, 'expected the end'],
    ['{"a":"x', 5, 'unterminated string'],
    ['{"a":"x\ny"}', 7, 'unescaped control character'],
    [String.raw`{"a":"\x"}`, 6, 'invalid escape'],
    [']', 0, 'expected a value'],
    ['[}', 1, 'expected a value or ]'],
    ['hunter2', 0, 'expected a value'],
  ];
  test.each(cases)('%j', async (raw, position, reason) => {
    expect(() => JSON.parse(raw)).toThrow(SyntaxError);
    expect(faultOf(raw)).toEqual({ position, reason: expect.stringContaining(reason) });
    if (raw === '') return;
    const { status, json } = await api.call('POST', `${org}/groups`, { raw });
    expect([status, json['error']]).toEqual([400, 'invalid_json']);
    expect(json['message']).toContain(`position ${position} (line 1, column ${position + 1})`);
    expect(json['message']).toContain(reason);
    expect(json['message']).not.toContain('hunter2');
  });

  test('also deep in a body of many lines', async () => {
    const raw = `{\n  "name": "x",\n  "description": nothing\n}`;
    const { json } = await api.call('POST', `${org}/groups`, { raw });
    expect(json['message']).toBe('body is not valid JSON: expected a value at position 34 (line 3, column 18).');
    expect(faultOf('['.repeat(100_000)).position).toBe(100_000);
  });

  test('a text that is JSON has no fault before its end', () => {
    const text = JSON.stringify({ a: [1, -2.5e3, 'x"\\\n', true, null, {}, []], b: { c: '' } }, null, 2);
    expect(faultOf(text)).toEqual({ position: text.length, reason: 'unexpected end, expected the end' });
  });
});

describe('a body without a byte', () => {
  const json = { 'content-type': 'application/json' };
  test.each([
    ['PATCH', org],
    ['POST', `${org}/groups`],
    ['PUT', `${org}/settings/sessions`],
  ])('%s %s needs one: 400 invalid_json, as the document says', async (method, path) => {
    const { status, json: answer } = await api.call(method, path, { raw: '', headers: json });
    expect([status, answer['error']]).toEqual([400, 'invalid_json']);
  });

  test('of an action that takes nothing means nothing', async () => {
    const { status } = await api.call('POST', '/session/mcp-token', { raw: '', headers: json });
    expect(status).toBe(201);
    const document = (await api.call('GET', '/openapi.json', { key: '' })).json;
    const required = (path: string, method: string): unknown =>
      Object(document['paths'])[path][method].requestBody.required;
    expect(required('/session/mcp-token', 'post')).toBe(false);
    expect(required('/v3/organizations/{orgId}/sessions/{id}/cancel', 'post')).toBe(false);
    expect(required('/v3/organizations/{orgId}', 'patch')).toBe(true);
    expect(required('/v3/organizations/{orgId}/groups', 'post')).toBe(true);
  });
});

describe('an unversioned path that cannot be looked for is 422', () => {
  test.each([
    ['%zz', 'string_unicode'],
    ['%ED%A0%80', 'string_unicode'],
    ['x'.repeat(9_000), 'string_too_long'],
  ])('%#', async (part, type) => {
    const { status, json } = await api.call('DELETE', `/apps/x/keys/${part}`);
    expect([status, Object.keys(json)]).toEqual([422, ['detail']]);
    expect(json['detail']).toMatchObject([{ loc: ['path'], type, input: expect.stringContaining(part.slice(0, 100)) }]);
    expect((await api.call('DELETE', `${org}/groups/${part}`)).status).toBe(type === 'string_too_long' ? 404 : 400);
  });
});

test('the entries of a 422 have the names that clients of pydantic know', async () => {
  const { id } = (await api.call('POST', '/agents', { body: { name: 'x' } })).json;
  const path = `/agents/${String(id)}`;
  const cases: [object, string, object][] = [
    [{ name: '' }, 'string_too_short', { min_length: 1 }],
    [{ name: 'x'.repeat(201) }, 'string_too_long', { max_length: 200 }],
    [{ max_tokens: 0 }, 'greater_than_equal', { ge: 1 }],
    [{ temperature: 3 }, 'less_than_equal', { le: 2 }],
    [{ runtime: 'none' }, 'enum', { expected: "'builtin', 'script' or 'acp'" }],
    [{ name: 7 }, 'string_type', {}],
    [{ name: 'a\0' }, 'string_unicode', {}],
  ];
  for (const [body, type, ctx] of cases) {
    const { json } = await api.call('PATCH', path, { body });
    expect(json['detail']).toMatchObject([{ type, ctx, input: Object.values(body)[0] }]);
  }
  const scopes = { name: 'x', scopes: ['run', 'run'] };
  const { json } = await api.call('POST', '/apps', { body: { name: 'app' } });
  const twice = await api.call('POST', `/apps/${String(json['id'])}/keys`, { body: scopes });
  for (const { type } of Object(twice.json['detail'])) expect(type).toMatch(/^[a-z_]+$/);
});

describe('names', () => {
  const rows: [string, object][] = [
    ['/v3/organizations', {}],
    [`${org}/groups`, {}],
    [`${org}/service-users`, {}],
    [`${org}/mcp-servers`, { url: 'https://mcp.example.com' }],
    [`${org}/knowledge/notes`, { trigger: 't', body: 'b' }],
    ['/v3/self/keys', { scopes: ['run'] }],
    ['/agents', {}],
    ['/apps', {}],
  ];
  test.each(rows)('POST %s: blank ones are refused, and white space at the ends goes', async (path, more) => {
    const blank = await api.call('POST', path, { body: { ...more, name: ' \u00a0\t' } });
    expect([400, 422]).toContain(blank.status);
    expect(blank.text).toContain('must not be blank');
    // The same letter in one character and in two is one name.
    const { status, json } = await api.call('POST', path, {
      body: { ...more, name: `  Café ${path} \n`.normalize('NFD') },
    });
    expect([status, json['name']]).toEqual([201, `Café ${path}`]);
  });
});

test('an empty cursor is the first page', async () => {
  const { status, json } = await api.call('GET', `${org}/memory/notes?repo=a/b&provider=local&after=`);
  expect([status, json]).toMatchObject([200, { items: [], end_cursor: '' }]);
  const [first, again] = await Promise.all(
    ['?after=', ''].map((query) => api.call('GET', `${org}/service-users${query}`)),
  );
  expect(again?.json).toEqual(first?.json);
});
