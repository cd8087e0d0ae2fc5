import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import yazl from 'yazl';
import { startTestApi, type Answer, type CallOptions, type TestApi } from '../../../test/support/api.ts';
import { digestOf } from './bundle.ts';
import { purgeDeletedSkills, skillBundle } from './public.ts';

const path = '/v3/organizations/default/skills';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Returns a SKILL.md. */
function manual(name: string, description = 'Does one thing.', more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n# How\n\nDo it.\n`;
}

function create(name: string, more: object = {}): Promise<Answer> {
  return api.call('POST', path, { body: { files: [{ path: 'SKILL.md', content: manual(name) }], ...more } });
}

async function made(name: string, more: object = {}): Promise<string> {
  const { json } = await create(name, more);
  return String(json['id']);
}

async function zipOf(files: Record<string, string | Buffer>, mode = 0o100644): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name, { mode });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function send(method: string, url: string, archive: Buffer, options: CallOptions = {}): Promise<Answer> {
  return api.call(method, url, { raw: archive, headers: { 'content-type': 'application/zip', ...options.headers } });
}

function names({ json }: Answer): string[] {
  const items: { name: string }[] = Object(json).items;
  return items.map(({ name }) => name);
}

describe('POST', () => {
  test('answers with every documented key; everything but the files has a default', async () => {
    const content = manual(
      'plain',
      'Says little.',
      'license: MIT\nmetadata:\n  author: ada\n  version: 1.0\n  none:\n',
    );
    const { status, json } = await api.call('POST', path, { body: { files: [{ path: 'SKILL.md', content }] } });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^skl_[0-9a-z]{26}$/),
      name: 'plain',
      description: 'Says little.',
      source: 'managed',
      revision: 1,
      digest: digestOf([{ path: 'SKILL.md', content: Buffer.from(content), executable: false }]),
      enabled: true,
      assignments: [],
      license: 'MIT',
      metadata: { author: 'ada', version: '1.0', none: '' },
      file_count: 1,
      size_bytes: Buffer.byteLength(content),
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
      files: [
        {
          path: 'SKILL.md',
          size_bytes: Buffer.byteLength(content),
          sha256: createHash('sha256').update(content).digest('hex'),
          executable: false,
        },
      ],
    });
    expect((await api.call('GET', `${path}/${String(json['id'])}`)).json).toEqual(json);
  });

  test('takes a zip archive with its modes, by itself or in a form, in a directory of its own or not', async () => {
    const script = '#!/bin/sh\necho hi\n';
    const zip = await zipOf({ 'zipped/SKILL.md': manual('zipped'), 'zipped/scripts/hi.sh': script }, 0o100755);
    const one = await send('POST', path, zip);
    expect([one.status, one.json]).toMatchObject([201, { name: 'zipped', file_count: 2 }]);
    expect(one.json['files']).toMatchObject([{ path: 'SKILL.md' }, { path: 'scripts/hi.sh', executable: true }]);
    const form = new FormData();
    form.append('file', new Blob([await zipOf({ 'SKILL.md': manual('formed') })]), 'formed.zip');
    const headers = { authorization: `Bearer ${api.adminKey}` };
    const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: form });
    expect([response.status, await response.json()]).toMatchObject([201, { name: 'formed' }]);
  });

  test('a repeated Idempotency-Key answers as the first time, also for an archive', async () => {
    const zip = await zipOf({ 'SKILL.md': manual('repeated') });
    const headers = { 'idempotency-key': 'skills-1' };
    const first = await send('POST', path, zip, { headers });
    const again = await send('POST', path, zip, { headers });
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(again.json).toEqual(first.json);
    const other = await send('POST', path, await zipOf({ 'SKILL.md': manual('another') }), { headers });
    expect([other.status, other.json['error']]).toEqual([409, 'idempotency_conflict']);
    const body = { files: [{ path: 'SKILL.md', content: manual('repeated-json') }] };
    const json = await api.call('POST', path, { body, headers: { 'idempotency-key': 'skills-2' } });
    const replay = await api.call('POST', path, { body, headers: { 'idempotency-key': 'skills-2' } });
    expect([json.status, replay.status, replay.json]).toEqual([201, 201, json.json]);
  });

  test('refuses an invalid skill, and names the place', async () => {
    const file = (content: string, name = 'SKILL.md') => ({ files: [{ path: name, content }] });
    const rows: [object, string][] = [
      [{}, 'body.files is required.'],
      [{ files: [] }, 'body.files must have at least 1 item.'],
      [{ ...file(manual('x')), extra: 1 }, 'body.extra is not a known key.'],
      [file('x', 'README.md'), 'SKILL.md: A skill needs a SKILL.md in its root directory.'],
      [file('no front matter'), 'SKILL.md, line 1: The file must start with front matter'],
      [file('---\nname: x\n'), 'SKILL.md, line 1: The front matter is not closed'],
      [file('---\nname: x\n---\n'), 'SKILL.md, line 1: `description` is required.'],
      [file(manual('Upper')), 'SKILL.md, line 2: `name` can only contain lower-case letters'],
      [file(manual('a--b')), 'SKILL.md, line 2: `name` must not contain consecutive hyphens'],
      [file(manual('-a')), 'SKILL.md, line 2: `name` must not start or end'],
      [file('---\ndescription: d\n\nname: [a]\n---\n'), 'SKILL.md, line 4: `name` must be text'],
      [file('---\nname: x\ndescription: "open\n---\n'), 'SKILL.md, line'],
      [file(manual('x', 'd', 'compatibility: 7\n')), 'SKILL.md, line 4: `compatibility` must be text'],
      [file(manual('x', 'd', 'metadata: [a]\n')), 'SKILL.md, line 4: `metadata` must map text to text'],
      [
        { files: [{ path: 'SKILL.md', content: '?', encoding: 'base64' }] },
        'SKILL.md: The content must be valid base64.',
      ],
      [{ ...file(manual('x')), assignments: [{ scope: 'repository' }] }, 'body.assignments.0.repo is required'],
      [
        { ...file(manual('x')), assignments: [{ scope: 'repository', repo: 'github:web' }] },
        'body.assignments.0.repo must be owner/name or owner/*',
      ],
      [
        { ...file(manual('x')), assignments: [{ scope: 'organization', repo: 'a/b' }] },
        'body.assignments.0.repo must be omitted',
      ],
    ];
    for (const [body, message] of rows) {
      const { status, json } = await api.call('POST', path, { body });
      expect([status, json['error'], json['message']]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining(message),
      ]);
    }
  });

  test('holds its limits at the boundary and one past it', async () => {
    const pad = (size: number) => ({ path: 'pad', content: 'x'.repeat(size) });
    const skill = (name: string, ...others: object[]) => ({
      files: [{ path: 'SKILL.md', content: manual(name) }, ...others],
    });
    const some = (count: number) => Array.from({ length: count }, (_, at) => ({ path: `f${at}`, content: '' }));
    const own = Buffer.byteLength(manual('total'));
    const quarters = (more: number) =>
      [0, 1, 2, 3].map((at) => ({ path: `q${at}`, content: 'x'.repeat(at === 3 ? 262_144 - own + more : 262_144) }));
    const rows: [object, number][] = [
      [{ files: [{ path: 'SKILL.md', content: manual('n'.repeat(64)) }] }, 201],
      [{ files: [{ path: 'SKILL.md', content: manual('n'.repeat(65)) }] }, 400],
      [{ files: [{ path: 'SKILL.md', content: manual('long', 'é'.repeat(1_024)) }] }, 201],
      [{ files: [{ path: 'SKILL.md', content: manual('longer', 'é'.repeat(1_025)) }] }, 400],
      [skill('large', pad(262_144)), 201],
      [skill('larger', pad(262_145)), 400],
      [skill('many', ...some(99)), 201],
      [skill('more', ...some(100)), 400],
      [skill('total', ...quarters(0)), 201],
      [skill('toton', ...quarters(1)), 400],
    ];
    for (const [body, expected] of rows) {
      const { status, json } = await api.call('POST', path, { body });
      expect([status, status === 201 ? '' : json['error']]).toEqual([
        expected,
        expected === 201 ? '' : 'invalid_request',
      ]);
    }
    const huge = { files: [{ path: 'SKILL.md', content: manual('huge') }], assignments: 'x'.repeat(2_097_152) };
    const tooLarge = await api.call('POST', path, { body: huge });
    expect([tooLarge.status, tooLarge.json['error']]).toEqual([413, 'payload_too_large']);
    const zip = await send('POST', path, Buffer.alloc(2_097_153));
    expect([zip.status, zip.json['error']]).toEqual([413, 'payload_too_large']);
  });

  test('takes no other media type, and no archive where there is no bundle', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await api.call('POST', path, { raw: 'x', headers })).status).toBe(415);
    const id = await made('media');
    const zip = await zipOf({ 'SKILL.md': manual('media') });
    expect((await send('PUT', `${path}/${id}/files/a`, zip)).status).toBe(415);
    expect((await send('POST', `${path}/import`, zip)).status).toBe(415);
  });

  test('needs plugins:write, a name of its own, and is not found from elsewhere', async () => {
    const key = await api.keyWith(['plugins:read']);
    const body = { files: [{ path: 'SKILL.md', content: manual('scoped') }] };
    expect((await api.call('POST', path, { key, body })).json['message']).toContain('plugins:write');
    expect((await create('taken')).status).toBe(201);
    const again = await create('taken');
    expect([again.status, again.json['error']]).toEqual([409, 'conflict']);
    const elsewhere = await api.createOrganization('Elsewhere');
    const there = await api.call('POST', `/v3/organizations/${elsewhere.slug}/skills`, {
      key: elsewhere.key,
      body: { files: [{ path: 'SKILL.md', content: manual('taken') }] },
    });
    expect(there.status).toBe(201);
    expect((await api.call('GET', `${path}/${String(there.json['id'])}`)).json['error']).toBe('skill_not_found');
  });
});

describe('a skill', () => {
  test('is changed file by file, each change a revision that stays as it was', async () => {
    const id = await made('changing');
    const url = `${path}/${id}`;
    const put = await api.call('PUT', `${url}/files/scripts/run.sh`, {
      body: { content: 'echo 1\n', executable: true },
      headers: { 'if-match': '"1"' },
    });
    expect([put.status, put.json]).toMatchObject([200, { revision: 2, file_count: 2 }]);
    const same = await api.call('PUT', `${url}/files/scripts%2Frun.sh`, { body: { content: 'echo 1\n' } });
    expect(same.json).toMatchObject({ revision: 2, digest: put.json['digest'] });
    const stale = await api.call('PUT', `${url}/files/x`, { body: { content: '' }, headers: { 'if-match': '"1"' } });
    expect([stale.status, stale.json['error']]).toEqual([412, 'revision_conflict']);
    const renamed = await api.call('PUT', `${url}/files/SKILL.md`, { body: { content: manual('changed', 'New.') } });
    expect(renamed.json).toMatchObject({ revision: 3, name: 'changed', description: 'New.' });
    const bytes = Buffer.from([0, 255, 10]);
    const body = { content: bytes.toString('base64'), encoding: 'base64' };
    expect((await api.call('PUT', `${url}/files/assets/a.bin`, { body })).json['revision']).toBe(4);
    expect((await api.call('GET', `${url}/files/scripts/run.sh`)).json).toMatchObject({
      path: 'scripts/run.sh',
      content: 'echo 1\n',
      encoding: 'utf8',
      executable: true,
      revision: 4,
    });
    expect((await api.call('GET', `${url}/files/assets/a.bin`)).json).toMatchObject(body);
    const revisions = (await api.call('GET', `${url}/revisions`)).json;
    expect(revisions).toMatchObject({
      total: 4,
      items: [{ revision: 4 }, { revision: 3 }, { revision: 2 }, { revision: 1 }],
    });
    expect(Object(revisions).items[3]).toMatchObject({ name: 'changing', file_count: 1 });
    const page = await api.call('GET', `${url}/revisions?first=3`);
    const next = await api.call('GET', `${url}/revisions?after=${String(page.json['end_cursor'])}`);
    expect(next.json).toMatchObject({ items: [{ revision: 1 }], has_next_page: false });
  });

  test('refuses a file that would break it or lead out of it, and knows which files it has', async () => {
    const url = `${path}/${await made('firm')}`;
    const put = (file: string, content = 'x') => api.call('PUT', `${url}/files/${file}`, { body: { content } });
    for (const file of [
      '..%2Fx',
      'a%2F..%2F..%2Fx',
      '%2Fetc%2Fpasswd',
      'C:%2Fx',
      'a%5Cb',
      'a%2F%2Fb',
      '.git%2Fconfig',
      'skill.md',
    ])
      expect([file, (await put(file)).status]).toEqual([file, 400]);
    expect((await put('SKILL.md', 'nothing')).json['message']).toContain('SKILL.md, line 1');
    expect((await put('SKILL.md%2Fx')).json['message']).toContain('SKILL.md is a file');
    expect((await api.call('GET', `${url}/files/none.md`)).json['error']).toBe('not_found');
    expect((await api.call('GET', `${path}/skl_none/files/SKILL.md`)).json['error']).toBe('skill_not_found');
    for (const [file, content] of [
      ['..%2Fa', 'x'],
      ['.git/config', 'x'],
      ['a', 'x'.repeat(262_145)],
    ] as const) {
      const body = { content };
      const none = await api.call('PUT', `${path}/skl_none/files/${file}`, { body });
      const stale = await api.call('PUT', `${url}/files/${file}`, { body, headers: { 'if-match': '"999"' } });
      expect([none.json['error'], stale.json['error']]).toEqual(['invalid_request', 'invalid_request']);
    }
    const text = await send('POST', path, Buffer.from('no archive'));
    expect([text.status, text.json['message']]).toEqual([400, expect.stringMatching(/[^.]\.$/)]);
    expect((await api.call('GET', url)).json['revision']).toBe(1);
  });

  test('takes new settings as a revision, and new files as another', async () => {
    const url = `${path}/${await made('settings')}`;
    const assignments = [{ scope: 'repository', repo: 'acme/*' }];
    const patched = await api.call('PATCH', url, { body: { enabled: false, assignments } });
    expect([patched.status, patched.json]).toMatchObject([200, { enabled: false, assignments, revision: 2 }]);
    const zip = await zipOf({ 'SKILL.md': manual('settings', 'Another.'), 'more.md': 'x' });
    const replaced = await send('PATCH', url, zip, { headers: { 'if-match': '"2"' } });
    expect(replaced.json).toMatchObject({ description: 'Another.', enabled: false, assignments, revision: 3 });
    expect((await send('PATCH', url, zip, { headers: { 'if-match': '"2"' } })).status).toBe(412);
    await create('other-name');
    const files = [{ path: 'SKILL.md', content: manual('other-name') }];
    expect((await api.call('PATCH', url, { body: { files } })).status).toBe(409);
    expect((await api.call('PATCH', url, { body: { name: 'x' } })).status).toBe(400);
  });

  test('is deleted only at the revision that was seen, and its name is free then', async () => {
    const url = `${path}/${await made('going')}`;
    expect((await api.call('DELETE', url, { headers: { 'if-match': '"7"' } })).status).toBe(412);
    expect((await api.call('DELETE', url, { headers: { 'if-match': '"1"' } })).status).toBe(204);
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/revisions'],
      ['GET', '/files/SKILL.md'],
    ] as const)
      expect((await api.call(method, `${url}${suffix}`)).json['error']).toBe('skill_not_found');
    expect((await create('going')).status).toBe(201);
  });
});

test('changes that come at once follow each other, and none is lost', async () => {
  const url = `${path}/${await made('crowded')}`;
  const puts = [1, 2, 3, 4, 5].map((at) => api.call('PUT', `${url}/files/f${at}`, { body: { content: `${at}` } }));
  const revisions = (await Promise.all(puts)).map(({ json }) => Number(json['revision']));
  expect(revisions.toSorted((one, other) => one - other)).toEqual([2, 3, 4, 5, 6]);
  expect((await api.call('GET', url)).json).toMatchObject({ revision: 6, file_count: 6 });
  const twins = await Promise.all([create('twin'), create('twin')]);
  expect(twins.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
});

test('the content of what was deleted stays for 30 days', async () => {
  const id = await made('fading');
  const keep = await made('staying');
  await api.call('DELETE', `${path}/${id}`);
  const after = (days: number) => ({
    db: api.ctx.db,
    clock: { now: () => new Date(api.ctx.clock.now().getTime() + days * 86_400_000) },
  });
  const orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  const files = () => skillBundle(api.ctx, orgId, { id, revision: 1 });
  await purgeDeletedSkills(after(29));
  expect(await files()).toMatchObject({ files: [{ path: 'SKILL.md', content: Buffer.from(manual('fading')) }] });
  await purgeDeletedSkills(after(31));
  expect(await files()).toBeUndefined();
  expect((await api.call('GET', `${path}/${keep}`)).status).toBe(200);
});

describe('GET', () => {
  test('lists newest first by page, and filters combine', async () => {
    const { slug, key } = await api.createOrganization('Listing');
    const url = `/v3/organizations/${slug}/skills`;
    for (const name of ['first', 'second', 'third'])
      await api.call('POST', url, {
        key,
        body: {
          files: [{ path: 'SKILL.md', content: manual(name, `The ${name}.`) }],
          enabled: name !== 'second',
          assignments:
            name === 'third'
              ? [
                  { scope: 'repository', repo: 'acme/*' },
                  { scope: 'repository', repo: 'other/.github' },
                ]
              : [],
        },
      });
    const list = (query: string) => api.call('GET', `${url}${query}`, { key });
    expect(names(await list(''))).toEqual(['third', 'second', 'first']);
    const page = await list('?first=2');
    expect([names(page), page.json]).toMatchObject([['third', 'second'], { has_next_page: true, total: 3 }]);
    expect(names(await list(`?first=2&after=${String(page.json['end_cursor'])}`))).toEqual(['first']);
    expect(names(await list('?enabled=true'))).toEqual(['third', 'first']);
    expect(names(await list('?enabled=false'))).toEqual(['second']);
    expect(names(await list('?enabled=true,false'))).toEqual(['third', 'second', 'first']);
    expect((await list('?enabled=perhaps')).status).toBe(400);
    expect(names(await list('?search=SECOND'))).toEqual(['second']);
    expect(names(await list('?source=imported'))).toEqual([]);
    expect(names(await list('?source=managed,imported&search=ir'))).toEqual(['third', 'first']);
    expect(names(await list('?repo=other/app'))).toEqual(['second', 'first']);
    expect(names(await list('?repo=Acme/App'))).toEqual(['third', 'second', 'first']);
    const narrow = await list('?repo=acme/app&first=2');
    expect(names(await list(`?repo=acme/app&first=2&after=${String(narrow.json['end_cursor'])}`))).toEqual(['first']);
    expect((await list('?source=mine')).status).toBe(400);
    const many = (count: number) => Array.from({ length: count }, (_, at) => `acme/r${at}`).join(',');
    expect(names(await list(`?repo=${many(20)}`))).toEqual(['third', 'second', 'first']);
    expect((await list(`?repo=${many(21)}`)).status).toBe(400);
    expect((await list(`/resolve?repo=${many(21)}`)).status).toBe(400);
    expect((await list(`?repo=acme/app&after=${String(page.json['end_cursor'])}`)).json['error']).toBe(
      'invalid_cursor',
    );
  });
});

describe('POST validate', () => {
  const validate = (files: object[]) => api.call('POST', `${path}/validate`, { body: { files } });

  test('says what a skill is, and keeps nothing', async () => {
    const content = manual(
      'sound',
      'Is sound.',
      'compatibility: Needs git\nallowed-tools: Bash(git:*) Read\nmodel: x\n',
    );
    const { status, json } = await validate([{ path: 'SKILL.md', content }]);
    expect([status, json]).toMatchObject([
      200,
      {
        valid: true,
        issues: [],
        warnings: [{ file: 'SKILL.md', line: 6, message: expect.stringContaining('"model"') }],
        name: 'sound',
        compatibility: 'Needs git',
        allowed_tools: ['Bash(git:*)', 'Read'],
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        file_count: 1,
      },
    ]);
    expect(names(await api.call('GET', `${path}?search=sound`))).toEqual([]);
  });

  test('names the line of every problem', async () => {
    const content = '---\nname: Bad--Name\nlicense:\n  - MIT\ndescription: ""\ncompatibility: x\n---\nText\n';
    const { json } = await validate([
      { path: 'SKILL.md', content },
      { path: '../x', content: '' },
    ]);
    expect(json).toMatchObject({ valid: false });
    const issues: { file: string; line: number }[] = Object(json).issues;
    expect(issues.map(({ file, line }) => `${file}:${line}`)).toEqual([
      '../x:0',
      'SKILL.md:2',
      'SKILL.md:5',
      'SKILL.md:3',
    ]);
    const broken = await validate([{ path: 'SKILL.md', content: '---\nname: x\ndescription: a: b\n\tc: d\n---\n' }]);
    expect(broken.json).toMatchObject({ valid: false, issues: [{ line: 3 }, { line: 4 }] });
  });

  test('answers for an archive that is none, and for links in one', async () => {
    const none = await send('POST', `${path}/validate`, Buffer.from('no archive'));
    expect([none.status, none.json]).toMatchObject([200, { valid: false, issues: [{ file: '', line: 0 }] }]);
    const link = await send('POST', `${path}/validate`, await zipOf({ 'SKILL.md': '/etc/passwd' }, 0o120777));
    expect(link.json).toMatchObject({ issues: [{ file: 'SKILL.md', message: expect.stringContaining('a link') }] });
  });
});
