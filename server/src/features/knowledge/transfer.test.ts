import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { isBlank } from '../../lib/one-line.ts';
import { readNoteFile, writeNoteFile } from './front-matter.ts';
import { scopes } from './schemas.ts';

let api: TestApi;
let orgId: string;
let ada: string;
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  ada = await personalKey(api, orgId, await join(api, orgId, 'member'));
  elsewhere = await api.createOrganization('Elsewhere');
});
beforeEach(async () => {
  await api.ctx.db.pool.query('delete from knowledge_notes');
});
afterAll(() => api.close());

interface File {
  path: string;
  content: string | Buffer;
  mode?: number;
}

async function zip(files: File[]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const { path, content, mode = 0o100644 } of files)
    if (path.endsWith('/')) archive.addEmptyDirectory(path);
    else archive.addBuffer(Buffer.from(content), path, { mode });
  archive.end();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const archive = await fromBufferPromise(bytes);
  for await (const entry of archive.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(Buffer.from(chunk));
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

function file(name: string, extra = '', body = 'Do it.'): string {
  return `---\nname: ${name}\ntrigger: when\n${extra}---\n\n${body}\n`;
}

interface Sent {
  key?: string;
  slug?: string;
  field?: string;
  headers?: Record<string, string>;
}

async function send(uploads: File[], options: Sent = {}) {
  const { key = api.adminKey, slug = 'default', field = 'file', headers = {} } = options;
  const form = new FormData();
  for (const { path, content } of uploads) form.append(field, new Blob([Buffer.from(content)]), path);
  const response = await fetch(`${api.url}/v3/organizations/${slug}/knowledge/import`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const json: unknown = await response.json();
  return { status: response.status, headers: response.headers, json: Object(json) };
}

/** Imports files and returns the outcome of each. */
async function outcomes(uploads: File[], options: Sent = {}): Promise<[string, string, string][]> {
  const { status, json } = await send(uploads, options);
  expect([status, json]).toEqual([200, json]);
  for (const kind of ['created', 'updated', 'unchanged', 'failed'])
    expect([kind, json[kind]]).toEqual([
      kind,
      json.items.filter(({ result }: { result: string }) => result === kind).length,
    ]);
  return json.items.map(({ file: name, result, reason }: Record<string, string>) => [name, result, reason]);
}

async function download(query = '', options: { key?: string; slug?: string } = {}): Promise<Buffer> {
  const { key = api.adminKey, slug = 'default' } = options;
  const response = await fetch(`${api.url}/v3/organizations/${slug}/knowledge/export${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the content of an organization's notes, in a fixed order. */
async function contents(organization = orgId): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query<object>(
    `select name, trigger, body, scope, repo_filter, enabled from knowledge_notes where org_id = $1
     order by name collate "C", trigger collate "C", body collate "C"`,
    [organization],
  );
  return rows;
}

const text = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'binary', maxLength }),
      fc.string({ unit: 'grapheme', maxLength: Math.min(20, maxLength) }),
    )
    .map((value) => value.replaceAll('\u0000', ''))
    .filter((value) => !isBlank(value) && Array.from(value).length <= maxLength);
const nasty = fc.constantFrom(
  '---\n',
  '\n---\nname: x\n---\n',
  '\r\n',
  '\n\nx\n\n',
  ' x ',
  '# y',
  '\ufeffx',
  '\u2028',
  '\u0085z',
  '"',
  "'",
  '\\',
  '- a: b',
  'null',
  '~',
  '12',
  'true',
  '!!js',
  '&a',
  '*a',
);
const anyContent = fc.record({
  name: fc.oneof(
    text(200),
    nasty.filter((value) => !isBlank(value)),
  ),
  trigger: fc.oneof(
    text(300),
    nasty.filter((value) => !isBlank(value)),
  ),
  body: fc.oneof(
    text(500),
    fc.tuple(nasty, text(50), nasty).map((parts) => parts.join('')),
  ),
  scope: fc.constantFrom(...scopes),
  repo_filter: fc.constantFrom('', 'acme/web', 'github:acme/*, local:x/y'),
  enabled: fc.boolean(),
});

describe('a note as a file', () => {
  test('is read as it was written, whatever Unicode it holds', async () => {
    const property = fc.asyncProperty(anyContent, async (note) => {
      const written = { noteId: 'note_x', content: note };
      expect(await readNoteFile(Buffer.from(writeNoteFile(written)))).toEqual(written);
    });
    await fc.assert(property, { numRuns: 1_000, seed: 4 });
  });

  test.each<[string, string, object]>([
    ['with as little as there may be', '---\nname: a\ntrigger: b\n---\nc', { name: 'a', trigger: 'b', body: 'c' }],
    ['from Windows', '\ufeff---\r\nname: a\r\ntrigger: b\r\n---\r\n\r\nc\r\nd\r\n', { name: 'a', body: 'c\r\nd' }],
    ['with a folded trigger', '---\nname: a\ntrigger: >-\n  b\n  c\n---\nd', { trigger: 'b c', body: 'd' }],
    ['with fields of others', '---\nname: a\ntrigger: b\ntags: [x]\n---\nc', { name: 'a', body: 'c' }],
    ['with rules in the body', '---\nname: a\ntrigger: b\n---\n\nc\n\n---\n\nd\n', { body: 'c\n\n---\n\nd' }],
    [
      'with empty fields',
      '---\nname: a\ntrigger: b\nscope:\nrepo_filter:\nenabled:\n---\nc',
      { scope: 'organization' },
    ],
  ])('%s is taken', async (_name, raw, expected) => {
    expect((await readNoteFile(Buffer.from(raw))).content).toMatchObject(expected);
  });

  test.each<[string, string | Buffer, string]>([
    ['no front matter', '# Title\n', 'front matter'],
    ['nothing', '', 'front matter'],
    ['front matter without an end', '---\nname: a\ntrigger: b\n', 'is not closed'],
    ['no name', '---\ntrigger: b\n---\nc', 'must have the field name'],
    ['no trigger', '---\nname: a\n---\nc', 'must have the field trigger'],
    ['a number for a name', '---\nname: 7\ntrigger: b\n---\nc', 'quotation marks'],
    ['a list', '---\n- name\n---\nc', 'no fields'],
    ['text', '---\nhello\n---\nc', 'no fields'],
    ['broken YAML', '---\nname: "a\ntrigger: b\n---\nc', 'valid YAML'],
    ['a key twice', '---\nname: a\nname: b\ntrigger: c\n---\nd', 'must be valid YAML'],
    ['many aliases', `---\na: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nname: [${'*b,'.repeat(50)}]\n---\nc`, 'valid YAML'],
    ['deep nesting', `---\nname: ${'['.repeat(30_000)}\n---\nc`, 'must be valid YAML'],
    ['large front matter', `---\nx: ${'y'.repeat(70_000)}\nname: a\ntrigger: b\n---\nc`, 'at most 32768 characters'],
    ['an unknown scope', '---\nname: a\ntrigger: b\nscope: team\n---\nc', 'scope'],
    ['a wrong flag', '---\nname: a\ntrigger: b\nenabled: perhaps\n---\nc', 'enabled'],
    ['a long name', `---\nname: ${'a'.repeat(201)}\ntrigger: b\n---\nc`, '200 characters'],
    ['U+0000', '---\nname: "a\\0"\ntrigger: b\n---\nc', 'U+0000'],
    ['a lone surrogate', '---\nname: "a\\ud800"\ntrigger: b\n---\nc', 'surrogate'],
    ['other than UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), 'UTF-8'],
  ])('with %s is refused with the reason', async (_name, raw, reason) => {
    await expect(readNoteFile(Buffer.from(raw))).rejects.toThrow(reason);
  });
});

describe('an export', () => {
  test('imported into another organization makes the same notes, and again changes nothing', async () => {
    const notes = fc.sample(anyContent, { numRuns: 250, seed: 5 });
    const everybodys = notes.map((note) => ({ ...note, scope: note.scope === 'user' ? 'organization' : note.scope }));
    for (const body of everybodys) {
      const made = await api.call('POST', '/v3/organizations/default/knowledge/notes', { body });
      expect([made.status, made.text]).toEqual([201, made.text]);
    }
    const archive = await download();
    expect((await unzip(archive)).size).toBe(250);
    const there = { slug: elsewhere.slug, key: elsewhere.key };
    const first = await send([{ path: 'knowledge.zip', content: archive }], there);
    expect(first.json).toMatchObject({ created: 250, updated: 0, unchanged: 0, failed: 0 });
    expect(await contents(elsewhere.id)).toEqual(await contents());
    const again = await send([{ path: 'knowledge.zip', content: archive }], there);
    expect(again.json).toMatchObject({ created: 0, updated: 0, unchanged: 250, failed: 0 });
    const home = await send([{ path: 'knowledge.zip', content: archive }]);
    expect(home.json).toMatchObject({ created: 0, updated: 0, unchanged: 250, failed: 0 });
  }, 60_000);

  test("holds what the caller sees and the filters let through, and nobody's own notes but theirs", async () => {
    const create = (body: object, key = api.adminKey) =>
      api.call('POST', '/v3/organizations/default/knowledge/notes', { key, body });
    await create({ name: 'Ünïcode & more', trigger: 't', body: 'b' });
    await create({ name: '日本', trigger: 't', body: 'b', scope: 'repository', repo_filter: 'acme/web' });
    await create({ name: 'Own', trigger: 't', body: 'b', scope: 'user' }, ada);
    const paths = async (query: string, key: string): Promise<string[]> =>
      [...(await unzip(await download(query, { key }))).keys()].map((path) => path.replace(/-[0-9a-z]{26}\.md$/, ''));
    expect(await paths('', ada)).toEqual(['user/own', 'repository/note', 'organization/unicode-more']);
    expect(await paths('', api.adminKey)).toEqual(['repository/note', 'organization/unicode-more']);
    expect(await paths('?scope=organization,user&repo=acme/web', ada)).toEqual([
      'user/own',
      'organization/unicode-more',
    ]);
    expect(await paths('?search=nothing%20at%20all', ada)).toEqual([]);
    const refused = await api.call('GET', '/v3/organizations/default/knowledge/export?first=3');
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('that nobody reads to its end harms nothing', async () => {
    for (let n = 0; n < 110; n += 1)
      await api.ctx.db.pool.query(
        `insert into knowledge_notes (id, org_id, name, trigger, body, created_by_type, created_by_id)
         values ($1, $2, $1, 't', (select string_agg(md5($1 || i), '') from generate_series(1, 300) i), 'user', 'usr_x')`,
        [`note_${String(n).padStart(26, '0')}`, orgId],
      );
    const controller = new AbortController();
    const response = await fetch(`${api.url}/v3/organizations/default/knowledge/export`, {
      headers: { authorization: `Bearer ${api.adminKey}` },
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    controller.abort();
    await expect(reader?.closed).rejects.toThrow(/abort/i);
    expect((await unzip(await download())).size).toBe(110);
  });
});

describe('an import', () => {
  test('takes Markdown files alone and in archives, at once', async () => {
    const archive = await zip([
      { path: 'docs/', content: '' },
      { path: 'docs/one.md', content: file('One') },
      { path: '__MACOSX/docs/._one.md', content: 'x' },
      { path: 'docs/two.MARKDOWN', content: file('Two', 'scope: repository\nrepo_filter: acme/*\nenabled: false\n') },
    ]);
    expect(
      await outcomes([
        { path: 'notes.zip', content: archive },
        { path: 'three.md', content: file('Three') },
      ]),
    ).toEqual([
      ['docs/one.md', 'created', ''],
      ['docs/two.MARKDOWN', 'created', ''],
      ['three.md', 'created', ''],
    ]);
    expect(await contents()).toMatchObject([
      { name: 'One', scope: 'organization', enabled: true },
      { name: 'Three' },
      { name: 'Two', scope: 'repository', repo_filter: 'acme/*', enabled: false },
    ]);
    const { json } = await api.call('GET', '/v3/organizations/default/knowledge/notes?search=Three');
    const [note] = [json['items']].flat().map(Object);
    expect(note).toMatchObject({ source: 'import', revision: 1, created_by: { type: 'user' } });
    const versions = await api.call('GET', `/v3/organizations/default/knowledge/notes/${note.note_id}/versions`);
    expect(versions.json).toMatchObject({ total: 1, items: [{ name: 'Three', revision: 1 }] });
  });

  test('changes the note of its id, or of its name and scope, by a revision that can be taken back', async () => {
    const one = await outcomes([{ path: 'a.md', content: file('A') }]);
    expect(one).toEqual([['a.md', 'created', '']]);
    expect(await outcomes([{ path: 'b.md', content: file('A', '', 'Other.') }])).toEqual([['b.md', 'updated', '']]);
    const list = await api.call('GET', '/v3/organizations/default/knowledge/notes');
    const [note] = [list.json['items']].flat().map(Object);
    expect(note).toMatchObject({ body: 'Other.', revision: 2, source: 'import' });
    const renamed = file('Renamed', `note_id: ${note.note_id}\n`, 'Other.');
    expect(await outcomes([{ path: 'c.md', content: renamed }])).toEqual([['c.md', 'updated', '']]);
    expect(await outcomes([{ path: 'c.md', content: renamed }])).toEqual([['c.md', 'unchanged', '']]);
    const path = `/v3/organizations/default/knowledge/notes/${note.note_id}`;
    const restore = () => api.call('POST', `${path}/versions/1/restore`);
    expect((await restore()).json).toMatchObject({ name: 'A', body: 'Do it.', revision: 4 });
    expect((await restore()).json['revision']).toBe(4);
    const logs = await api.call(
      'GET',
      `/v3/organizations/default/audit-logs?resource_id=${note.note_id}&action=knowledge_note.update`,
    );
    expect(logs.json['total']).toBe(2);
    const imports = await api.call('GET', '/v3/organizations/default/audit-logs?action=knowledge.import&first=1');
    expect(imports.json['items']).toMatchObject([{ changes: { created: 0, updated: 0, unchanged: 1, failed: 0 } }]);
  });

  test('of several with one name says which is meant, or asks', async () => {
    const named = (filter: string, body: string) => file('Same', `repo_filter: ${filter}\n`, body);
    await outcomes([
      { path: '1.md', content: named('a/1', 'one') },
      { path: '2.md', content: named('a/2', 'two') },
      { path: '3.md', content: named('a/3', 'three') },
    ]);
    expect(await contents()).toHaveLength(3);
    const changed = await outcomes([
      { path: 'new.md', content: named('a/9', 'nine') },
      { path: '2.md', content: named('a/2', 'changed') },
      { path: '1.md', content: named('a/1', 'one') },
    ]);
    expect(changed).toEqual([
      ['new.md', 'updated', ''],
      ['2.md', 'updated', ''],
      ['1.md', 'unchanged', ''],
    ]);
    expect(await outcomes([{ path: 'x.md', content: named('b/1', 'x') }])).toEqual([
      ['x.md', 'failed', expect.stringContaining('3 notes have this name')],
    ]);
    const twice = file('Twice', 'note_id: note_other\n');
    expect(
      (
        await outcomes([
          { path: '1.md', content: twice },
          { path: '2.md', content: twice },
        ])
      ).map(([, result]) => result),
    ).toEqual(['created', 'failed']);
  });

  test('keeps what is good of it when a file is bad, and says why', async () => {
    const archive = await zip([
      { path: 'good.md', content: file('Good') },
      { path: 'link.md', content: '/etc/passwd', mode: 0o120777 },
      { path: 'image.png', content: 'x' },
      { path: 'plain.md', content: '# No front matter' },
      { path: 'large.md', content: file('Large', '', 'x'.repeat(102_401)) },
      { path: 'bomb.md', content: Buffer.alloc(20_000_000) },
      { path: 'filter.md', content: file('Filter', 'repo_filter: nowhere\n') },
      { path: 'blank.md', content: file('Blank', '', ' ') },
      { path: 'good.md', content: file('Twice') },
      { path: 'last.md', content: file('Last') },
    ]);
    const results = await outcomes([{ path: 'notes.zip', content: archive }]);
    expect(new Map(results.map(([path, result, reason]) => [`${path} ${result}`, reason]))).toEqual(
      new Map([
        ['good.md created', ''],
        ['image.png failed', expect.stringContaining('.md')],
        ['plain.md failed', expect.stringContaining('front matter')],
        ['large.md failed', expect.stringContaining('102400 bytes')],
        ['filter.md failed', expect.stringContaining('repo_filter')],
        ['blank.md failed', expect.stringContaining('blank')],
        ['last.md created', ''],
        ['link.md failed', expect.stringContaining('a link')],
        ['bomb.md failed', expect.stringContaining('172032 bytes')],
        ['good.md failed', expect.stringContaining('twice')],
      ]),
    );
    expect(await contents()).toMatchObject([{ name: 'Good' }, { name: 'Last' }]);
  });

  test('of files made to take long keeps nobody else waiting', async () => {
    const keys = Array.from({ length: 5_000 }, (_, at) => `k${at.toString(36)}:\n`).join('');
    const files = Array.from({ length: 20 }, (_, at) => ({ path: `${at}.md`, content: file(`N${at}`, keys) }));
    const twice = { path: 'twice.md', content: file('A', 'name: B\n') };
    const importing = outcomes([...files, twice]);
    const waits: number[] = [];
    const asked = async () => {
      const from = performance.now();
      await fetch(`${api.url}/healthz`);
      waits.push(performance.now() - from);
      return false;
    };
    for (let isDone = false; !isDone;) isDone = await Promise.race([importing.then(() => true), asked()]);
    expect((await importing).map(([, result]) => result)).toEqual([...files.map(() => 'created'), 'failed']);
    expect([waits.length > 3, Math.max(...waits)]).toEqual([true, expect.toSatisfy((ms: number) => ms < 4_000)]);
  });

  test('refuses an archive that lies, climbs out, is broken or unpacks to too much, and changes nothing', async () => {
    const honest = await zip([{ path: 'xx/evil.md', content: file('Evil') }]);
    const replaced = (from: string, to: string): Buffer =>
      Buffer.from(honest.toString('latin1').replaceAll(from, to), 'latin1');
    const many = await zip(
      Array.from({ length: 420 }, (_, n) => ({ path: `${n}.md`, content: Buffer.alloc(160_000) })),
    );
    for (const [content, reason] of [
      [replaced('xx/evil.md', '../evil.md'), 'invalid relative path'],
      [replaced('xx/evil.md', '/x/evil.md'), 'absolute path'],
      [replaced('xx/evil.md', 'C:/evil.md'), 'absolute path'],
      [replaced('xx/evil.md', '..\\evil.md'), 'invalid'],
      [honest.subarray(0, honest.length - 30), 'body.file: The archive cannot be read: '],
      [many, '67108864 bytes'],
      [Buffer.from('no archive'), 'body.file is not a ZIP archive, or is damaged.'],
    ] as const) {
      const { status, json } = await send([
        { path: 'x.zip', content },
        { path: 'good.md', content: file('Good') },
      ]);
      expect([status, json]).toMatchObject([
        400,
        { error: 'invalid_request', message: expect.stringContaining(reason) },
      ]);
    }
    expect(await contents()).toEqual([]);
  });

  test('a file that unpacks to more than it says is refused for itself', async () => {
    const packed = deflateRawSync(Buffer.alloc(50_000_000));
    // Stored uncompressed but declared as compressed: its declared size is that of the compressed bytes.
    const stored = new ZipFile();
    stored.addBuffer(packed, 'liar.md', { compress: false });
    stored.end();
    const chunks: Buffer[] = [];
    for await (const chunk of stored.outputStream) chunks.push(Buffer.from(chunk));
    const lying = Buffer.concat(chunks);
    const central = lying.indexOf(Buffer.from('504b0102', 'hex'));
    lying.writeUInt16LE(8, central + 10);
    lying.writeUInt16LE(8, 8);
    const results = await outcomes([{ path: 'x.zip', content: lying }]);
    expect(results).toEqual([['liar.md', 'failed', expect.stringMatching(/unpacked|checksum|bytes/)]]);
  });

  test("gives nobody another's own notes, and a machine none", async () => {
    const own = file('Own', 'scope: user\n');
    expect(await outcomes([{ path: 'own.md', content: own }], { key: ada })).toEqual([['own.md', 'created', '']]);
    expect(await outcomes([{ path: 'own.md', content: own }])).toEqual([['own.md', 'created', '']]);
    expect(await contents()).toHaveLength(2);
    const machine = await api.keyWith(['memory:write']);
    expect(await outcomes([{ path: 'own.md', content: own }], { key: machine })).toEqual([
      ['own.md', 'failed', expect.stringContaining('belong to a user')],
    ]);
    const list = await api.call('GET', '/v3/organizations/default/knowledge/notes', { key: ada });
    const [hers] = [list.json['items']].flat().map(Object);
    const taken = file('Taken', `note_id: ${hers.note_id}\n`);
    expect(await outcomes([{ path: 'x.md', content: taken }])).toEqual([['x.md', 'created', '']]);
    expect(
      (await api.call('GET', `/v3/organizations/default/knowledge/notes/${hers.note_id}`, { key: ada })).json,
    ).toEqual(hers);
  });

  test('twice at once makes each note once', async () => {
    const uploads = [{ path: 'once.md', content: file('Once') }];
    const answers = await Promise.all([send(uploads), send(uploads), send(uploads)]);
    expect(answers.map(({ json }) => `${json.created} ${json.unchanged}`).toSorted()).toEqual(['0 1', '0 1', '1 0']);
    expect(await contents()).toHaveLength(1);
  });

  test('with an Idempotency-Key is done once, and with other files refused', async () => {
    const headers = { 'idempotency-key': 'import-once' };
    const uploads = [{ path: 'once.md', content: file('Once') }];
    const [first, second] = [await send(uploads, { headers }), await send(uploads, { headers })];
    expect([second.json, second.headers.get('idempotent-replayed')]).toEqual([first.json, 'true']);
    const other = await send([{ path: 'other.md', content: file('Other') }], { headers });
    expect([other.status, other.json.error]).toEqual([409, 'idempotency_conflict']);
  });

  test('is a form with files: anything else is refused', async () => {
    const path = '/v3/organizations/default/knowledge/import';
    expect((await api.call('POST', path, { body: { notes: [] } })).status).toBe(415);
    expect((await send([])).status).toBe(400);
    expect((await send([{ path: 'a.md', content: file('A') }], { field: 'notes' })).status).toBe(400);
    const tooMany = Array.from({ length: 1_001 }, (_, n) => ({ path: `${n}.md`, content: file(`N${n}`) }));
    expect((await send(tooMany)).status).toBe(400);
    const large = await send([{ path: 'a.zip', content: Buffer.alloc(33_554_433) }]);
    expect([large.status, large.json.error]).toEqual([413, 'payload_too_large']);
    const both = await send([
      { path: 'a.zip', content: Buffer.alloc(20_000_000) },
      { path: 'b.zip', content: Buffer.alloc(20_000_000) },
    ]);
    expect(both.status).toBe(413);
    const reader = await api.keyWith(['knowledge:read']);
    expect((await send([{ path: 'a.md', content: file('A') }], { key: reader })).status).toBe(403);
    expect(await contents()).toEqual([]);
  });

  test('of an empty archive makes nothing', async () => {
    expect(await outcomes([{ path: 'empty.zip', content: await zip([]) }])).toEqual([]);
  });
});
