import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

const path = '/v3/organizations/default/memory/notes';
const place = { repo: 'acme/web', provider: 'github' };
const maxBytes = 245_760;

let api: TestApi;
let orgId: string;
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => api.close());

function post(body: unknown, key = api.adminKey) {
  return api.call('POST', path, { key, body });
}

async function itemOf(body: object): Promise<Record<string, unknown>> {
  const { status, json, text } = await post({ ...place, ...body });
  if (status !== 201) throw new Error(text.slice(0, 500));
  return Object(json['item']);
}

/** The error envelope (section 2): both are strings; the contract adds the request id. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^req_/) };
}

async function refused(body: unknown): Promise<Record<string, unknown>> {
  const before = await countNotes();
  const { status, json } = await post(body);
  expect([status, json]).toEqual([400, expect.objectContaining(envelope(String(json['error'])))]);
  expect(await countNotes()).toBe(before);
  return json;
}

async function countNotes(): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ count: number }>('select count(*)::int as count from memory_notes');
  return rows[0]?.count ?? -1;
}

describe('source 4.2, create a memory note: method, path and scope', () => {
  test('POST /v3/organizations/{orgId}/memory/notes takes memory:write, and that alone suffices', async () => {
    const body = { ...place, content: 'x' };
    expect((await post(body, await api.keyWith(['memory:write']))).status).toBe(201);
    const before = await countNotes();
    for (const scope of scopes.filter((other) => other !== 'memory:write')) {
      const { status, json } = await post(body, await api.keyWith([scope]));
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('memory:write');
    }
    expect(await countNotes()).toBe(before);
  });

  test('{orgId} is the id or the slug', async () => {
    for (const organization of [orgId, 'default']) {
      const body = { ...place, content: 'x' };
      const answer = await api.call('POST', `/v3/organizations/${organization}/memory/notes`, { body });
      expect(answer.status).toBe(201);
    }
  });

  test('without a key it is 401, of another organization 404', async () => {
    const body = { ...place, content: 'x' };
    const nobody = await post(body, '');
    expect([nobody.status, nobody.json]).toEqual([401, envelope('unauthorized')]);
    for (const [organization, key] of [
      [elsewhere.slug, api.adminKey],
      ['default', elsewhere.key],
      ['org_none', api.adminKey],
    ]) {
      const foreign = await api.call('POST', `/v3/organizations/${organization}/memory/notes`, {
        key: key ?? '',
        body,
      });
      expect([foreign.status, foreign.json]).toEqual([404, envelope('organization_not_found')]);
    }
  });
});

describe('source 4.2: response body', () => {
  test('201 with repo, provider and the item, which is there immediately', async () => {
    const before = Date.now();
    const body = { ...place, title: 'How to test', content: 'Run `make check`.' };
    const { status, headers, json } = await post(body, await api.keyWith(['memory:write']));
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    expect(json).toEqual({
      ...place,
      item: {
        memory_id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
        title: 'How to test',
        content: 'Run `make check`.',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        // Added by the contract.
        revision: 1,
        materialized_revision: null,
        materialized_at: null,
      },
    });
    const item: Record<string, unknown> = Object(json['item']);
    const at = Date.parse(String(item['created_at']));
    expect(item['updated_at']).toBe(item['created_at']);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect((await api.call('GET', `${path}/${String(item['memory_id'])}`)).json).toEqual(json);
    const listed = await api.call('GET', `${path}?repo=acme/web&provider=github`);
    expect(listed.json['items']).toContainEqual(item);
  });

  test.each([
    ['github', 'acme/web'],
    ['gitlab', 'acme/web'],
    ['gitlab', 'acme/platform/tools/web'],
    ['pagure', 'fork/ada/web'],
    ['local', 'acme/web'],
    ['github', 'acme/.github'],
    ['github', `a/${'b'.repeat(198)}`],
  ])('provider %s and repo %s are answered as they came', async (provider, repo) => {
    const { status, json } = await post({ repo, provider, content: 'x' });
    expect([status, json['repo'], json['provider']]).toEqual([201, repo, provider]);
  });

  test('the same request with an Idempotency-Key makes one note', async () => {
    const headers = { 'idempotency-key': 'memory-1' };
    const body = { ...place, content: 'once' };
    const first = await api.call('POST', path, { body, headers });
    const before = await countNotes();
    const second = await api.call('POST', path, { body, headers });
    expect([second.status, second.json, second.headers.get('idempotent-replayed')]).toEqual([201, first.json, 'true']);
    expect(await countNotes()).toBe(before);
  });
});

describe('source 4.2: repo and provider', () => {
  test.each<[string, object, string]>([
    ['no repo', { provider: 'github' }, 'body.repo'],
    ['no provider', { repo: 'acme/web' }, 'body.provider'],
    ['another provider', { repo: 'acme/web', provider: 'bitbucket' }, 'body.provider'],
    ['a provider in upper case', { repo: 'acme/web', provider: 'GitHub' }, 'body.provider'],
    ['an empty provider', { repo: 'acme/web', provider: '' }, 'body.provider'],
    ['a provider that is null', { repo: 'acme/web', provider: null }, 'body.provider'],
    ['a repo that is no string', { repo: 7, provider: 'github' }, 'body.repo'],
    ['a repo that is null', { repo: null, provider: 'github' }, 'body.repo'],
    ['an empty repo', { repo: '', provider: 'github' }, 'body.repo'],
    ['a repo without an owner', { repo: 'web', provider: 'github' }, 'body.repo'],
    ['a repo with an empty owner', { repo: '/web', provider: 'github' }, 'body.repo'],
    ['a repo with an empty name', { repo: 'acme/', provider: 'github' }, 'body.repo'],
    ['a repo with white space', { repo: ' acme/web', provider: 'github' }, 'body.repo'],
    ['a repo that leads upwards', { repo: 'acme/../web', provider: 'gitlab' }, 'body.repo'],
    ['a repo that is an address', { repo: 'https://github.com/acme/web', provider: 'github' }, 'body.repo'],
    ['a repo of 201 characters', { repo: `a/${'b'.repeat(199)}`, provider: 'github' }, 'body.repo'],
    ['an owner with a slash at GitHub', { repo: 'acme/tools/web', provider: 'github' }, 'body.repo'],
    ['an owner with a slash here', { repo: 'acme/tools/web', provider: 'local' }, 'body.repo'],
  ])('%s is 400 invalid_request that names it', async (_name, body, where) => {
    const json = await refused({ content: 'x', ...body });
    expect(json['error']).toBe('invalid_request');
    expect(json['message']).toContain(where);
  });
});

describe('source 4.2 and section 8: title', () => {
  test.each<[string, object]>([
    ['omitted', {}],
    ['empty', { title: '' }],
    ['of spaces', { title: '   ' }],
    ['of other white space', { title: '\t\r\n\u00a0\u2003\u3000\ufeff\u2028' }],
  ])('%s is `Memory note`', async (_name, body) => {
    expect((await itemOf({ content: 'x', ...body }))['title']).toBe('Memory note');
  });

  test.each<[string, string]>([
    ['Latin', 'a'],
    ['umlauts, two bytes each', 'ü'],
    ['Japanese, three bytes each', '漢'],
    ['emoji, four bytes and two UTF-16 units each', '🦊'],
  ])('160 characters are taken and 161 are not: %s', async (_name, letter) => {
    const longest = letter.repeat(160);
    expect((await itemOf({ title: longest, content: 'x' }))['title']).toBe(longest);
    expect((await itemOf({ title: `\u3000 ${longest}\n`, content: 'x' }))['title']).toBe(longest);
    const json = await refused({ ...place, title: `${longest}${letter}`, content: 'x' });
    expect(json['error']).toBe('title_too_long');
    expect(json['message']).toContain('161');
  });

  test('it is trimmed at both ends and nowhere else', async () => {
    expect((await itemOf({ title: '  Two  words\t', content: 'x' }))['title']).toBe('Two  words');
  });

  test.each([7, null, ['x'], {}])('a title that is no string (%j) is 400 invalid_request', async (title) => {
    const json = await refused({ ...place, title, content: 'x' });
    expect([json['error'], json['message']]).toEqual(['invalid_request', expect.stringContaining('body.title')]);
  });
});

describe('source 4.2 and section 8: content', () => {
  test.each<[string, object]>([
    ['missing', {}],
    ['empty', { content: '' }],
    ['of spaces', { content: '    ' }],
    ['of other white space', { content: '\n\t\u00a0\u2003\u3000\ufeff' }],
  ])('%s is 400 content_required', async (_name, body) => {
    expect((await refused({ ...place, ...body }))['error']).toBe('content_required');
  });

  test.each([7, null, ['x'], {}])('content that is no string (%j) is 400 invalid_request', async (content) => {
    const json = await refused({ ...place, content });
    expect([json['error'], json['message']]).toEqual(['invalid_request', expect.stringContaining('body.content')]);
  });

  test.each<[string, string]>([
    ['one byte each', 'a'],
    ['two bytes each', 'ü'],
    ['three bytes each', '漢'],
    ['four bytes each', '🦊'],
    ['one byte each, six in JSON', '\u0001'],
  ])('245,760 bytes in UTF-8 are taken and one more is not: %s', async (_name, letter) => {
    const longest = letter.repeat(maxBytes / Buffer.byteLength(letter));
    expect(Buffer.byteLength(longest)).toBe(maxBytes);
    expect((await itemOf({ content: longest }))['content']).toBe(longest);
    const json = await refused({ ...place, content: `${longest}b` });
    expect(json['error']).toBe('content_too_large');
    expect(json['message']).toContain('245761');
  });

  test('it is trimmed before it is measured and stored, and not inside', async () => {
    const longest = `a${' \n'.repeat((maxBytes - 2) / 2)}b`;
    expect((await itemOf({ content: `${'\u3000'.repeat(10_000)}${longest}\n\n` }))['content']).toBe(longest);
    expect((await itemOf({ content: '\n  indented\n    more\n' }))['content']).toBe('indented\n    more');
  });

  test('U+0000 and lone surrogates are 400', async () => {
    for (const raw of ['a\\u0000b', 'a\\ud800b']) {
      const { status, json } = await api.call('POST', path, {
        raw: `{"repo":"acme/web","provider":"github","content":"${raw}"}`,
      });
      expect([status, json['error']]).toEqual([400, 'invalid_request']);
    }
  });

  test('a wrong repository comes before what is wrong with the text', async () => {
    const json = await refused({ repo: 'a/b/c', provider: 'github', title: 'x'.repeat(161), content: ' ' });
    expect(json['error']).toBe('invalid_request');
  });
});

describe('source 4.2: the body as such', () => {
  test('an unknown key is 400 that names it; an array, and no JSON, are 400', async () => {
    const unknown = await refused({ ...place, content: 'x', tags: [] });
    expect([unknown['error'], unknown['message']]).toEqual(['invalid_request', expect.stringContaining('body.tags')]);
    expect((await refused([]))['error']).toBe('invalid_request');
    const broken = await api.call('POST', path, { raw: '{"repo":' });
    expect([broken.status, broken.json]).toEqual([400, expect.objectContaining(envelope('invalid_json'))]);
  });

  test('another media type is 415; 2 MiB are taken and one byte more is 413', async () => {
    const text = await api.call('POST', path, { raw: 'content=x', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json]).toEqual([415, envelope('unsupported_media_type')]);
    const sized = (bytes: number): string => {
      const head = '{"repo":"acme/web","provider":"github","content":"x';
      return `${head}${' '.repeat(bytes - head.length - 2)}"}`;
    };
    const largest = await api.call('POST', path, { raw: sized(2 * 1_048_576) });
    expect([largest.status, Object(largest.json['item']).content]).toEqual([201, 'x']);
    const larger = await api.call('POST', path, { raw: sized(2 * 1_048_576 + 1) });
    expect([larger.status, larger.json]).toEqual([413, envelope('payload_too_large')]);
  });
});

describe('source 4.2: generated native memory stays read-only', () => {
  test.each(['POST', 'PUT', 'PATCH'])('%s there is 403 memory_read_only, with the scope', async (method) => {
    for (const url of ['', '/summary.md', '/builtin/summary.md']) {
      const target = `/v3/organizations/default/memory/generated${url}`;
      const body = { ...place, content: 'x' };
      const { status, json } = await api.call(method, target, { body });
      expect([url, status, json]).toEqual([url, 403, envelope('memory_read_only')]);
      const without = await api.call(method, target, { body, key: await api.keyWith(['knowledge:read']) });
      expect([without.status, without.json]).toEqual([403, envelope('forbidden')]);
    }
  });
});
