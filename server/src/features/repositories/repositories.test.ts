import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { purgeRepositories } from './purge-service.ts';

let api: TestApi;
let open: TestApi;
let ada: GitUser;
beforeAll(async () => {
  api = await startTestApi();
  // The operator allows git to reach this machine.
  open = await api.another({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.0/8', GUILDHALL_CLONE_MAX: '1MiB' });
  ada = await createGitUser();
});
afterAll(async () => {
  await ada.close();
  await open.close();
  await api.close();
});

const org = '/v3/organizations/default';
const path = `${org}/repositories`;
let serial = 0;

function name(): string {
  return `acme/project-${(serial += 1)}`;
}

function create(body: object, on = api): Promise<Answer> {
  return on.call('POST', path, { body: { provider: 'local', ...body } });
}

async function made(body: object = {}): Promise<{ id: string; repo: string; url: string }> {
  const { status, json } = await create({ repo: name(), ...body });
  expect(status).toBe(201);
  return { id: String(json['id']), repo: String(json['repo']), url: String(json['clone_url']) };
}

/** Creates a repository whose `main` has a file. */
async function filled(files: Record<string, string> = { 'a.txt': 'one\n' }) {
  const repository = await made();
  const work = await ada.start(files);
  await ada.git(work, 'push', '-q', withKey(repository.url, api.adminKey), 'main');
  return { ...repository, work };
}

/** Returns the number of repositories on the built-in host. */
async function kept(): Promise<number> {
  // The directory also contains the mark of its owner.
  const entries = await readdir(api.ctx.config.repositories);
  const organization = entries.find((entry) => !entry.startsWith('.')) ?? '';
  return (await readdir(join(api.ctx.config.repositories, organization))).length;
}

describe('creating one', () => {
  test('an empty one needs a name only, and a read has every documented key', async () => {
    const { status, json } = await create({ repo: 'acme/Empty' });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^repo_/),
      provider: 'local',
      repo: 'acme/Empty',
      default_branch: 'main',
      connection_id: expect.stringMatching(/^gc_/),
      index: { state: 'none', commit: '', indexed_at: null, error: '' },
      wiki: { state: 'none', generated_at: null },
      environment: { setup_command: '', verify_command: '', image: '' },
      clone_url: `${api.url}/git/default/acme/Empty.git`,
      last_session_at: null,
      deleted_at: null,
    });
    expect((await api.call('GET', `${path}/${String(json['id'])}`)).json).toEqual(json);
  });

  test('a name is taken whatever its case: 409 repository_exists, also for those who ask at once', async () => {
    await create({ repo: 'Acme/Twice' });
    const again = await create({ repo: 'aCME/tWICE' });
    const message = 'The organization already has a repository Acme/Twice.';
    expect(again).toMatchObject({ status: 409, json: { error: 'repository_exists', message } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ repo: 'acme/race' })));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['201', '409', '409', '409', '409']);
    const { rows } = await api.ctx.db.pool.query<{ n: number }>('select count(*) as n from repositories');
    expect(await kept()).toBe(rows[0]?.n);
  });

  test('an invalid request is refused before a conflict is looked for', async () => {
    const { repo } = await made();
    expect((await create({ repo, default_branch: '-x' })).status).toBe(400);
    expect((await create({ repo, import_url: 'http://127.0.0.1/x.git' })).status).toBe(403);
    expect((await create({ repo })).status).toBe(409);
  });

  test('a name may begin with a dot, as that of the repository .github does', async () => {
    const { repo, url } = await made({ repo: 'acme/.github' });
    expect(repo).toBe('acme/.github');
    const work = await ada.start({ 'profile/README.md': 'Hello\n' });
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'main');
    const { json } = await api.call('GET', `${org}/sessions?repo=local:acme/.github`);
    expect(json['total']).toBe(0);
  });

  test.each([
    ['no owner', { repo: 'project' }],
    ['a way out', { repo: '../project' }],
    ['an option', { repo: '-u/x' }],
    ['only dots', { repo: 'acme/..' }],
    ['git’s own directory', { repo: 'acme/.git' }],
    ['a space', { repo: 'a/b c' }],
    ['no name', {}],
    ['a branch that git refuses', { repo: 'acme/x', default_branch: 'a..b' }],
    ['a provider without a connection', { repo: 'acme/x', provider: 'github' }],
    ['an unknown provider', { repo: 'acme/x', provider: 'svn' }],
    ['a file', { repo: 'acme/x', import_url: 'file:///etc' }],
    ['no address', { repo: 'acme/x', import_url: 'acme/x' }],
    ['a blank check', { repo: 'acme/x', environment: { verify_command: ' ' } }],
    ['a blank setup', { repo: 'acme/x', environment: { setup_command: '\n' } }],
    ['an unknown key of the environment', { repo: 'acme/x', environment: { setup: 'x' } }],
  ])('%s is 400', async (_name, body) => {
    const answer = await create(body);
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
    expect((await api.call('GET', `${path}?search=acme/x`)).json['total']).toBe(0);
  });
});

describe('a template', () => {
  test('is the first commit of a new repository, by who created it', async () => {
    const [template] = Object(await api.call('GET', `${path}/templates`)).json.items;
    expect(template).toMatchObject({ name: 'example', repo: 'example/greeting' });
    const { url } = await made({ template: 'example', default_branch: 'trunk' });
    const work = await ada.start({ 'a.txt': 'one\n' });
    await ada.git(work, 'fetch', '-q', withKey(url, api.adminKey), 'trunk');
    expect((await ada.git(work, 'log', '--format=%s, %ae', 'FETCH_HEAD')).trim()).toBe(
      'Greet by name, admin@localhost',
    );
    expect(await ada.git(work, 'show', 'FETCH_HEAD:greet.js')).toContain('nmae');
  });

  test('and an import exclude each other, and nothing is created', async () => {
    const before = await kept();
    const { status, json } = await create({
      repo: name(),
      template: 'example',
      import_url: 'https://example.com/x.git',
    });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toBe('body.template and body.import_url exclude each other: send one of them.');
    expect(await kept()).toBe(before);
  });
});

describe('importing', () => {
  test('takes branches, tags and the default branch over HTTP, with the credentials of the URL', async () => {
    const source = await filled();
    await ada.git(source.work, 'tag', 'v1');
    await ada.git(source.work, 'push', '-q', withKey(source.url, api.adminKey), 'main:trunk', 'v1');
    await api.call('PATCH', `${path}/${source.id}`, { body: { default_branch: 'trunk' } });
    const repo = name();
    const { status, json, text } = await create({ repo, import_url: withKey(source.url, api.adminKey) }, open);
    expect([status, json['default_branch']]).toEqual([201, 'trunk']);
    expect(text).not.toContain(api.adminKey);
    const refs = await ada.git(ada.root, 'ls-remote', withKey(String(json['clone_url']), api.adminKey));
    for (const ref of ['refs/heads/main', 'refs/heads/trunk', 'refs/tags/v1']) expect(refs).toContain(ref);
  });

  test('from a private address is 403 address_not_allowed unless the operator opened it', async () => {
    const { url } = await filled();
    for (const import_url of [withKey(url, api.adminKey), 'http://169.254.169.254/x', 'http://[::1]:1/x.git']) {
      const answer = await create({ repo: name(), import_url });
      expect([answer.status, answer.json['error']]).toEqual([403, 'address_not_allowed']);
      expect(answer.text).not.toContain(api.adminKey);
    }
  });

  test.each([
    ['what is no repository', () => `${open.url}/healthz`],
    ['without the key', () => `${open.url}/git/default/acme/Empty.git`],
    ['nobody answers', () => 'http://127.0.0.1:1/x.git'],
    ['a name that does not exist', () => 'http://nowhere.invalid/x.git'],
  ])('%s: 502, and nothing is created', async (_name, url) => {
    const before = await kept();
    const repo = name();
    const answer = await create({ repo, import_url: url() }, open);
    expect([answer.status, answer.json['error']]).toEqual([502, 'upstream_error']);
    expect((await api.call('GET', `${path}?search=${repo}`)).json['total']).toBe(0);
    expect(await kept()).toBe(before);
  });

  test('one that is too large is 400, which says the limit and what to do, and nothing is left', async () => {
    // Base64 halves it when packed at most.
    const source = await filled({ 'large.txt': randomBytes(3 * 1024 ** 2).toString('base64') });
    const before = await kept();
    const answer = await create({ repo: name(), import_url: withKey(source.url, api.adminKey) }, open);
    expect([answer.status, answer.json['error'], await kept()]).toEqual([400, 'invalid_request', before]);
    expect(answer.json['message']).toBe(
      'body.import_url: the repository is larger than 1 MiB, the most that is imported. Create a repository without ' +
        '`import_url` and push to it, or connect the one at its git host.',
    );
  });

  test('what a killed process left of one is removed after an hour', async () => {
    const { id } = await filled();
    const { config, clock } = api.ctx;
    const organization = (await readdir(config.repositories)).find((entry) => !entry.startsWith('.')) ?? '';
    const left = ['a', 'b'].map((digit) =>
      join(config.repositories, organization, `${id}.git.import-${digit.repeat(12)}`),
    );
    for (const one of left) await mkdir(join(one, 'objects'), { recursive: true });
    const before = await kept();
    const [old = '', fresh = ''] = left;
    await utimes(old, 0, clock.now().getTime() / 1_000 - 3_700);
    await purgeRepositories(api.ctx);
    expect(await kept()).toBe(before - 1);
    await rm(fresh, { recursive: true });
    expect((await api.call('GET', `${path}/${id}/branches`)).json['total']).toBe(1);
  });

  test('a default branch that the source does not have is 400, and nothing is created', async () => {
    const source = await filled();
    const before = await kept();
    const body = { repo: name(), import_url: withKey(source.url, api.adminKey), default_branch: 'nope' };
    const answer = await create(body, open);
    expect([answer.status, answer.json['error'], await kept()]).toEqual([400, 'invalid_request', before]);
  });
});

describe('changing and deleting', () => {
  test('PATCH changes what it names; the default branch must exist', async () => {
    const { id, url, work } = await filled();
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'main:next');
    const environment = { setup_command: 'npm ci', verify_command: 'npm test' };
    const patched = await api.call('PATCH', `${path}/${id}`, { body: { environment, default_branch: 'next' } });
    expect(patched.json).toMatchObject({ environment: { ...environment, image: '' }, default_branch: 'next' });
    const head = await ada.git(ada.root, 'ls-remote', '--symref', withKey(url, api.adminKey), 'HEAD');
    expect(head).toContain('ref: refs/heads/next');
    const missing = await api.call('PATCH', `${path}/${id}`, { body: { default_branch: 'nope' } });
    expect([missing.status, missing.json['error']]).toEqual([400, 'invalid_request']);
    expect((await api.call('GET', `${path}/${id}`)).json).toMatchObject({ default_branch: 'next' });
  });

  test('an empty one takes any default branch with a valid name', async () => {
    const { id } = await made({ default_branch: 'trunk' });
    const { json } = await api.call('PATCH', `${path}/${id}`, { body: { default_branch: 'develop' } });
    expect(json['default_branch']).toBe('develop');
    const invalid = await api.call('PATCH', `${path}/${id}`, { body: { default_branch: 'a..b' } });
    expect([invalid.status, invalid.json['error']]).toEqual([400, 'invalid_request']);
    expect((await api.call('GET', `${path}/${id}`)).json['default_branch']).toBe('develop');
  });

  async function headOf(url: string): Promise<string> {
    const shown = await ada.git(ada.root, 'ls-remote', '--symref', withKey(url, api.adminKey), 'HEAD');
    return /^ref: refs\/heads\/(\S+)/.exec(shown)?.[1] ?? '';
  }

  test("of concurrent changes of the default branch with one If-Match, that of the record sets git's HEAD", async () => {
    const { id, url, work } = await filled();
    const branches = ['one', 'two', 'three', 'four'];
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), ...branches.map((branch) => `main:${branch}`));
    for (let round = 0; round < 4; round += 1) {
      const { headers, json } = await api.call('GET', `${path}/${id}`);
      const change = (default_branch: string) =>
        api.call('PATCH', `${path}/${id}`, {
          body: { default_branch },
          headers: { 'if-match': headers.get('etag') ?? '' },
        });
      const others = branches.filter((branch) => branch !== json['default_branch']);
      const statuses = (await Promise.all(others.map(change))).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, ...others.slice(1).map(() => 412)]);
      const { default_branch: current } = (await api.call('GET', `${path}/${id}`)).json;
      expect(await headOf(url)).toBe(current);
    }
  });

  test('a slow change of the default branch does not undo a later one in git', async () => {
    const { id, url, work } = await filled();
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'main:slow', 'main:later');
    const { gitHost } = api.ctx;
    const usual = gitHost.open;
    const held = Promise.withResolvers<void>();
    gitHost.open = (...of) => {
      const hosted = usual(...of);
      return {
        ...hosted,
        async setDefaultBranch(branch) {
          if (branch === 'slow') await held.promise;
          await hosted.setDefaultBranch(branch);
        },
      };
    };
    const change = (default_branch: string) => api.call('PATCH', `${path}/${id}`, { body: { default_branch } });
    try {
      const slow = change('slow');
      await expect.poll(async () => (await api.call('GET', `${path}/${id}`)).json['default_branch']).toBe('slow');
      expect((await change('later')).status).toBe(200);
      held.resolve();
      expect((await slow).status).toBe(200);
    } finally {
      held.resolve();
      gitHost.open = usual;
    }
    expect(await headOf(url)).toBe('later');
  });

  test('a deleted one is gone for the API and for git, and its name is free', async () => {
    const { id, url, repo } = await filled();
    expect((await api.call('DELETE', `${path}/${id}`)).status).toBe(204);
    const again = await api.call('DELETE', `${path}/${id}`);
    expect([again.status, again.json['error']]).toEqual([404, 'repository_not_found']);
    await expect(ada.git(ada.root, 'ls-remote', withKey(url, api.adminKey))).rejects.toThrow('not found');
    expect((await create({ repo })).status).toBe(201);
  });
});

describe('git', () => {
  test('clones, pushes and fetches, with the key as a bearer or as a password, whatever the case of the name', async () => {
    const { url, work } = await filled();
    const bearer = ['-c', `http.extraHeader=Authorization: Bearer ${api.adminKey}`];
    const shouted = url.replace('acme/project', 'ACME/Project');
    await ada.git(ada.root, ...bearer, 'clone', '-q', shouted, `clone-${serial}`);
    const pushed = await ada.commit(work, { 'b.txt': 'two\n' });
    await ada.git(work, ...bearer, 'push', '-q', url.replace(/\.git$/, ''), 'main');
    const clone = join(ada.root, `clone-${serial}`);
    await ada.git(clone, 'fetch', '-q', withKey(url, api.adminKey), 'main');
    expect(await ada.git(clone, 'rev-parse', 'FETCH_HEAD')).toBe(pushed);
  });

  test('the first push to a repository without its default branch makes the pushed one the default', async () => {
    const { id, url } = await made();
    const work = await ada.start({ 'a.txt': 'x' }, 'trunk');
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'trunk');
    expect((await api.call('GET', `${path}/${id}`)).json['default_branch']).toBe('trunk');
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'trunk:other');
    expect((await api.call('GET', `${path}/${id}`)).json['default_branch']).toBe('trunk');
    await ada.git(ada.root, 'clone', '-q', withKey(url, api.adminKey), `adopted-${serial}`);
    expect(await ada.git(join(ada.root, `adopted-${serial}`), 'branch', '--show-current')).toBe('trunk');
  });

  test('fetching takes repos:read, pushing repos:write; a push is on record', async () => {
    const { id, url, work } = await filled();
    const [reader, writer, runner] = await Promise.all(
      [['repos:read'], ['repos:read', 'repos:write'], ['run']].map((scopes) => api.keyWith(scopes)),
    );
    await ada.git(work, 'fetch', '-q', withKey(url, reader ?? ''));
    await expect(ada.git(work, 'push', withKey(url, reader ?? ''), 'main:x')).rejects.toThrow('403');
    await expect(ada.git(work, 'fetch', withKey(url, runner ?? ''))).rejects.toThrow('403');
    await ada.git(work, 'push', '-q', withKey(url, writer ?? ''), 'main:x');
    const { rows } = await api.ctx.db.pool.query(
      `select changes -> 'refs' -> 0 ->> 'ref' as ref from audit_entries where action = 'repository.push' and resource_id = $1`,
      [id],
    );
    expect(rows).toContainEqual({ ref: 'refs/heads/x' });
  });

  test.each([
    ['no key', (url: string) => url, 401, 'unauthorized'],
    ['a wrong key', (url: string) => withKey(url, 'guild_x'), 401, 'unauthorized'],
    ['another organization', (url: string) => url.replace('/default/', '/elsewhere/'), 404, 'organization_not_found'],
    ['an unknown repository', (url: string) => url.replace('acme', 'nobody'), 404, 'repository_not_found'],
    ['no path of git', (url: string) => url.replace('.git', '.git/objects/x?'), 404, 'not_found'],
  ])('%s', async (_name, change, status, error) => {
    const { url } = await made();
    const key = change(url).includes('@') ? 'guild_x' : api.adminKey;
    const target = change(url).replace(/\/\/.*@/, '//');
    const answer = await fetch(`${target}/info/refs?service=git-upload-pack`, {
      headers: _name === 'no key' ? {} : { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([status, { error }]);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toContain('Basic');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('a key of another organization cannot even see that a repository exists', async () => {
    const { url } = await filled();
    const { key } = await api.createOrganization('Elsewhere');
    await expect(ada.git(ada.root, 'ls-remote', withKey(url, key))).rejects.toThrow('not found');
  });

  test('a body of git is not held back by the limit for JSON', async () => {
    const { url } = await made();
    const noise = randomBytes(1_500_000).toString('hex');
    const work = await ada.start({ 'noise.txt': noise });
    await ada.git(work, 'push', '-q', withKey(url, api.adminKey), 'main');
    expect(await ada.git(ada.root, 'ls-remote', withKey(url, api.adminKey), 'main')).toContain('refs/heads/main');
  });
});

describe('git connections', () => {
  test('every organization has one to the built-in host, which works, can be renamed, and stays', async () => {
    const { json } = await api.call('GET', `${org}/git-connections`);
    const id = /gc_\w+/.exec(JSON.stringify(json))?.[0] ?? '';
    const one = `${org}/git-connections/${id}`;
    expect((await api.call('POST', `${one}/verify`)).json).toMatchObject({ id, state: 'connected', provider: 'local' });
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => api.call('POST', `${one}/verify`)));
    expect(new Set(atOnce.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await api.call('PATCH', one, { body: { name: 'Ours' } })).json['name']).toBe('Ours');
    const { repo } = await made();
    expect((await api.call('GET', `${one}/repositories?first=1`)).json).toMatchObject({ items: [{ repo }] });
    const answer = await api.call('DELETE', one);
    expect([answer.status, answer.json['error']]).toEqual([409, 'conflict']);
    const second = await api.call('POST', `${org}/git-connections`, { body: { provider: 'local' } });
    expect([second.status, second.json['error']]).toEqual([409, 'conflict']);
  });

  test('reading takes repos:read, everything else repos:write', async () => {
    const key = await api.keyWith(['repos:read']);
    const { id } = await made();
    for (const target of [path, `${path}/${id}`, `${org}/git-connections`])
      expect((await api.call('GET', target, { key })).status).toBe(200);
    for (const [method, target] of [
      ['POST', path],
      ['PATCH', `${path}/${id}`],
      ['DELETE', `${path}/${id}`],
      ['POST', `${org}/git-connections`],
    ] as const) {
      const { status, json } = await api.call(method, target, { key });
      expect([status, json['error']]).toEqual([403, 'forbidden']);
      expect(json['message']).toContain('repos:write');
    }
  });
});
