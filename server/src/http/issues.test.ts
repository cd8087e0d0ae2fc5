import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const org = '/v3/organizations/default';
const skill = (content: string) => ({ files: [{ path: 'SKILL.md', content }] });

describe('whoever refuses a field says it in one shape', () => {
  const rows: [string, string, string, object | undefined, string, object][] = [
    [
      'a schema',
      'POST',
      '/groups',
      { name: 7 },
      'invalid_request',
      { in: 'body', path: ['name'], code: 'string_type' },
    ],
    ['a schema of the query', 'GET', '/groups?first=0', undefined, 'invalid_request', { in: 'query', path: ['first'] }],
    ['a key unknown', 'POST', '/groups', { name: 'x', 'a/b': 1 }, 'invalid_request', { in: 'body', path: ['a/b'] }],
    [
      'a code of its own',
      'POST',
      '/sessions',
      {},
      'prompt_required',
      { in: 'body', path: ['prompt'], code: 'missing' },
    ],
    ['a character', 'POST', '/groups', { name: 'a\0' }, 'invalid_request', { in: 'body', path: ['name'] }],
    ['a character of the path', 'GET', '/groups/a%00', undefined, 'invalid_request', { in: 'path', path: ['id'] }],
    ['a filter', 'GET', '/sessions?status=odd', undefined, 'invalid_request', { in: 'query', path: ['status'] }],
    ['a cursor', 'GET', '/groups?after=x', undefined, 'invalid_cursor', { in: 'query', path: ['after'] }],
    [
      'settings',
      'PUT',
      '/settings/sessions',
      { max_minutes: -1 },
      'invalid_request',
      { path: ['max_minutes'], code: 'greater_than_equal' },
    ],
    ['settings’ checks', 'PUT', '/settings/source_control', { branch_prefix: '..' }, 'invalid_request', { in: 'body' }],
    ['a service', 'POST', '/mcp-servers', { name: 'x' }, 'invalid_request', { in: 'body', path: ['url'] }],
    [
      'a service, of a key',
      'POST',
      '/mcp-servers',
      { name: 'x', url: 'https://x.example', headers: { 'X-Api-Key': 'abc' } },
      'invalid_request',
      { in: 'body', path: ['headers', 'X-Api-Key'] },
    ],
    ['an address', 'GET', '/ip-access-list/check?ip=x', undefined, 'invalid_request', { in: 'query', path: ['ip'] }],
    ['a role', 'PUT', '/roles', { role: 'pro' }, 'invalid_request', { in: 'body', path: [] }],
    [
      'a skill',
      'POST',
      '/skills',
      skill('---\nname: Bad\ndescription: x\n---\n'),
      'invalid_request',
      { in: 'body', path: ['files'], file: 'SKILL.md', line: 2 },
    ],
  ];
  test.each(rows)('%s: %s %s %j', async (_who, method, path, body, error, issue) => {
    const { status, json } = await api.call(method, `${org}${path}`, body === undefined ? {} : { body });
    const { issues } = Object(json['details']);
    expect([status, json['error'], issues[0]]).toEqual([400, error, expect.objectContaining(issue)]);
    for (const one of issues) {
      expect(one).toMatchObject({
        in: expect.any(String),
        path: expect.any(Array),
        code: expect.stringMatching(/^[a-z_]+$/),
        message: expect.stringMatching(/./),
      });
      expect(one.message).not.toMatch(/^: /);
    }
    expect(Object.keys(Object(json['details']))).not.toContain('path');
  });

  test('also for JSON that is none, a header, and a URL that is none', async () => {
    const [broken, stream, url] = await Promise.all([
      api.call('POST', `${org}/groups`, { raw: '{' }),
      api.call('POST', `${org}/groups`, { body: { name: 'x' }, headers: { 'idempotency-key': 'ü' } }),
      api.call('GET', `${org}/groups/%zz`),
    ]);
    const first = ({ json }: { json: Record<string, unknown> }) => [json['error'], Object(json['details']).issues[0]];
    expect(first(broken)).toEqual(['invalid_json', expect.objectContaining({ in: 'body', path: [] })]);
    expect(first(stream)).toEqual([
      'invalid_request',
      expect.objectContaining({ in: 'header', path: ['idempotency-key'] }),
    ]);
    expect(first(url)).toEqual([
      'invalid_request',
      { in: 'path', path: [], code: 'string_unicode', message: 'is not a valid URL path' },
    ]);
  });

  test('unversioned operations tell the same as entries of `detail`', async () => {
    const { status, json } = await api.call('GET', '/agents?after=x&first=0');
    expect([status, json['detail']]).toMatchObject([422, [{ loc: ['query', 'first'], msg: 'must be at least 1' }]]);
  });
});
