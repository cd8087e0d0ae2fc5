import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';

const org = '/v3/organizations/default';
const path = `${org}/skills`;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' });
});
afterAll(() => api.close());

/** Returns a SKILL.md. */
function manual(name: string, description = 'Does one thing.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n# How\n\nDo it.\n`;
}

async function made(name: string, more: object = {}): Promise<string> {
  const body = { files: [{ path: 'SKILL.md', content: manual(name) }], ...more };
  return String((await api.call('POST', path, { body })).json['id']);
}

function names({ json }: Answer): string[] {
  const items: { name: string }[] = Object(json).items;
  return items.map(({ name }) => name);
}

describe('what a repository holds itself', () => {
  let repositoryId: string;
  beforeAll(async () => {
    const body = { provider: 'local', repo: 'acme/skilled' };
    const { json } = await api.call('POST', `${org}/repositories`, { body });
    repositoryId = String(json['id']);
    const ada = await createGitUser();
    const work = await ada.start({
      '.agents/skills/release-notes/SKILL.md': manual('release-notes', 'Writes release notes from the changelog.'),
      '.agents/skills/release-notes/template.md': '# Notes\n',
      '.claude/skills/release-notes/SKILL.md': manual('release-notes', 'The copy for another agent.'),
      '.claude/skills/only-claude/SKILL.md': manual('only-claude'),
      '.agents/skills/wrong-place/SKILL.md': manual('right-place'),
      '.agents/skills/no-skill/README.md': 'x',
      'docs/SKILL.md': manual('elsewhere'),
    });
    await ada.git(work, 'push', '-q', withKey(String(json['clone_url']), api.adminKey), 'HEAD:refs/heads/main');
    await ada.close();
  });

  test('is listed for it with a stable id, read and never written', async () => {
    const listed = await api.call('GET', `${path}?repo=acme/skilled&source=repository`);
    expect(names(listed).toSorted()).toEqual(['only-claude', 'release-notes']);
    const items: Record<string, unknown>[] = Object(listed.json).items;
    const own = items.find(({ name }) => name === 'release-notes');
    expect(own).toMatchObject({
      source: 'repository',
      revision: 0,
      file_count: 2,
      assignments: [{ scope: 'repository', repo: 'local:acme/skilled' }],
      metadata: { repository: { repo: 'acme/skilled', ref: 'main', path: '.agents/skills/release-notes' } },
    });
    const url = `${path}/${String(own?.['id'])}`;
    const read = await api.call('GET', url);
    expect(read.json).toMatchObject({ ...own, files: [{ path: 'SKILL.md' }, { path: 'template.md' }] });
    expect((await api.call('GET', `${url}/files/template.md`)).json).toMatchObject({
      content: '# Notes\n',
      revision: 0,
    });
    expect((await api.call('GET', `${url}/revisions`)).json).toMatchObject({ items: [], total: 0 });
    for (const [method, suffix, body] of [
      ['PATCH', '', { enabled: false }],
      ['DELETE', '', undefined],
      ['PUT', '/files/a', { content: '' }],
    ] as const) {
      const { status, json } = await api.call(method, `${url}${suffix}`, body === undefined ? {} : { body });
      expect([method, status, json['error']]).toEqual([method, 409, 'conflict']);
    }
    const missing = `${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`;
    expect((await api.call('GET', missing)).json['error']).toBe('skill_not_found');
    expect((await api.call('DELETE', missing)).json['error']).toBe('skill_not_found');
    expect(names(await api.call('GET', `${path}?source=repository`))).toEqual([]);
    expect(repositoryId).toContain(/skl_([0-9a-z]{26})/.exec(url)?.[1]);
  });

  test('can be chosen for a session like any other; an unknown one is not found', async () => {
    const [own] = Object((await api.call('GET', `${path}?repo=acme/skilled&source=repository`)).json).items;
    const id = await made('chosen');
    const session = (ids: string[]) =>
      api.call('POST', `${org}/sessions`, { body: { prompt: 'x', repositories: [], skill_ids: ids } });
    expect((await session([own.id, id])).status).toBe(201);
    const elsewhere = await api.createOrganization('Elsewhere');
    const body = { provider: 'local', repo: 'acme/skilled' };
    const theirs = await api.call('POST', `/v3/organizations/${elsewhere.slug}/repositories`, {
      key: elsewhere.key,
      body,
    });
    const foreign = own.id.replace(/(?<=^skl_)\w{26}/, String(theirs.json['id']).replace('repo_', ''));
    const missing = own.id.replace(/(?<=^skl_)\w{26}/, '0'.repeat(26));
    for (const unknown of [foreign, missing, 'skl_none']) {
      const { status, json } = await session([id, unknown]);
      expect([unknown, status, json['error']]).toEqual([unknown, 404, 'skill_not_found']);
      expect((await api.call('GET', `${path}/${unknown}`)).json['error']).toBe('skill_not_found');
    }
  });

  test('is given to sessions on it before what the organization calls the same, and all of it is explained', async () => {
    const taken = await made('release-notes');
    const off = await made('switched-off', { enabled: false });
    const other = await made('for-others', { assignments: [{ scope: 'repository', repo: 'github:acme/*' }] });
    const files = [
      {
        path: 'SKILL.md',
        content: manual('sql-migrations', 'Writes forward-only database migrations for PostgreSQL.'),
      },
    ];
    const { json: sql } = await api.call('POST', path, {
      body: { files, assignments: [{ scope: 'repository', repo: 'acme/*' }] },
    });
    const prompt = encodeURIComponent('Add a migration to the database that renames a column');
    const { json } = await api.call('GET', `${path}/resolve?repo=acme/skilled&prompt=${prompt}`);
    const items: Record<string, unknown>[] = Object(json).items;
    const by = (id: unknown) => items.find((item) => item['id'] === id);
    expect(items[0]).toMatchObject({
      id: sql['id'],
      given: true,
      relevant: true,
      reason: expect.stringContaining('acme/*'),
    });
    expect(items[0]?.['reason']).toContain('database, migrations');
    expect(by(taken)).toMatchObject({ given: false, reason: expect.stringContaining('with this name') });
    expect(by(off)).toMatchObject({ given: false, reason: 'It is disabled.' });
    expect(by(other)).toMatchObject({ given: false, reason: expect.stringContaining('github:acme/*') });
    const named = (name: string) => items.filter((item) => item['name'] === name);
    expect(named('release-notes')).toMatchObject([
      { source: 'repository', given: true, relevant: false },
      { given: false },
    ]);
    expect(named('wrong-place')).toMatchObject([
      { given: false, reason: "It is invalid: SKILL.md: `name` must equal the directory's name, wrong-place." },
    ]);
    const nowhere = await api.call('GET', `${path}/resolve?prompt=${encodeURIComponent('use sql-migrations')}`);
    const found: Record<string, unknown>[] = Object(nowhere.json).items;
    expect(found.find(({ name }) => name === 'sql-migrations')).toMatchObject({ given: false, relevant: true });
  });

  test('can be imported at one commit, and again at a later one', async () => {
    const clone = `${api.url}/git/default/acme/skilled.git`;
    const url = withKey(clone, api.adminKey);
    await api.call('DELETE', `${path}/${await made('only-claude')}`);
    const importIt = (body: object) => api.call('POST', `${path}/import`, { body: { url, ...body } });
    const first = await importIt({ path: './.claude/skills/only-claude/', ref: 'main' });
    expect([first.status, first.json]).toMatchObject([
      201,
      { name: 'only-claude', source: 'imported', revision: 1, assignments: [] },
    ]);
    const origin = { url: clone, ref: 'main', path: '.claude/skills/only-claude' };
    expect(Object(first.json['metadata']).import).toMatchObject({
      ...origin,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(first.text).not.toContain(api.adminKey);
    const ada = await createGitUser();
    const work = await ada.start({ empty: '' });
    await ada.git(work, 'fetch', '-q', url, 'main');
    await ada.git(work, 'reset', '-q', '--hard', 'FETCH_HEAD');
    const commit = await ada.commit(work, { '.claude/skills/only-claude/SKILL.md': manual('only-claude', 'Newer.') });
    await ada.git(work, 'tag', 'v2');
    await ada.git(work, 'push', '-q', url, 'HEAD:refs/heads/main', 'v2');
    await ada.close();
    for (const [ref, revision] of [
      ['v2', 2],
      [commit, 3],
      ['', 4],
    ] as const) {
      const again = await importIt({ path: origin.path, ref });
      expect(again.json).toMatchObject({ id: first.json['id'], description: 'Newer.', revision });
      expect(Object(again.json['metadata']).import).toEqual({ ...origin, ref, commit });
    }
    const rows: [object, number, string][] = [
      [{ path: 'none' }, 400, 'no SKILL.md found in "none"'],
      [{ path: '' }, 400, 'Skills exist at .agents/skills/release-notes'],
      [{ path: '../x' }, 400, 'body.path'],
      [{ path: origin.path, ref: 'none' }, 400, 'body.ref: the repository has no branch, tag or commit "none"'],
      [{ path: origin.path, ref: '--upload-pack=x' }, 400, 'not a valid branch name'],
      [{ path: '.agents/skills/release-notes' }, 409, 'release-notes'],
      [{ url: 'file:///etc' }, 400, 'body.url must be an http or https URL'],
      [{ url: 'http://10.0.0.1/x.git' }, 403, 'body.url'],
      [{ url: `${api.url}/git/default/acme/none.git`, path: 'x' }, 404, 'No repository "acme/none"'],
    ];
    for (const [body, status, message] of rows) {
      const refused = await importIt(body);
      expect([body, refused.status, refused.json['message']]).toEqual([body, status, expect.stringContaining(message)]);
      expect(refused.text).not.toContain(api.adminKey);
    }
    const unaudited = await api.call('GET', `${org}/audit-logs?resource_type=skill&first=200`);
    expect(unaudited.text).not.toContain(api.adminKey);
    expect(unaudited.text).toContain('skill.revise');
  });

  test('is imported from this installation without credentials, by every reader of it', async () => {
    const url = `${api.url}/git/default/acme/skilled.git`;
    const body = { url, path: 'docs', ref: '' };
    const importAs = (key: string, more: object = {}) =>
      api.call('POST', `${path}/import`, { key, body: { ...body, ...more } });
    const refused = await importAs(await api.keyWith(['plugins:write']));
    expect([refused.status, refused.json['message']]).toEqual([403, expect.stringContaining('repos:read')]);
    const reader = await api.keyWith(['plugins:write', 'repos:read']);
    const imported = await importAs(reader);
    expect([imported.status, imported.json]).toMatchObject([
      201,
      {
        name: 'elsewhere',
        metadata: { import: { url, path: 'docs', commit: expect.stringMatching(/^[0-9a-f]{40}$/) } },
      },
    ]);
    const noRef = await importAs(reader, { ref: 'nope' });
    expect([noRef.status, noRef.json['message']]).toEqual([
      400,
      'body.ref: the repository has no branch, tag or commit "nope".',
    ]);
    const other = await api.createOrganization('Elsewhere');
    for (const foreign of [`${api.url}/git/${other.slug}/acme/skilled.git`, `${api.url}/git/default/acme/none.git`]) {
      const { status, json } = await importAs(reader, { url: foreign });
      expect([status, json['error']]).toEqual([404, 'repository_not_found']);
    }
  });
});
