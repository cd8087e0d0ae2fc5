import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../../test/support/git.ts';
import { checkpoint, sessionIn, start } from '../../../../test/support/session-states.ts';
import { finish, noteRepositories, recordArtifact, type ClaimedRun } from '../run/run-service.ts';
import type { StoredRepository } from '../schemas/session-schemas.ts';

let api: TestApi;
let ada: GitUser;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

const sessions = '/v3/organizations/default/sessions';
const done = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 1 } as const;

function expectError({ status, json }: Answer, expected: number, error: string): void {
  expect([status, json['error']]).toEqual([expected, error]);
}

/** Stores a diff and its patch as a worker does. */
async function leave(run: ClaimedRun, repo: string, path: string): Promise<string> {
  const blob = `checkpoints/${run.orgId}/${run.id}/${repo.replace('/', '-')}`;
  const patch = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-one\n+two\n`;
  const file = { path, old_path: '', status: 'modified', binary: false, additions: 1, deletions: 1, patch };
  const commits = { base_commit: 'b'.repeat(40), head_commit: 'a'.repeat(40) };
  const diff = { ...commits, additions: 1, deletions: 1, files: [file] };
  await api.ctx.blobs.put(`${blob}.diff`, Buffer.from(JSON.stringify(diff)));
  await api.ctx.blobs.put(`${blob}.patch`, Buffer.from(patch));
  await checkpoint(api, run, repo, blob);
  return patch;
}

describe('diff and patch', () => {
  test('are empty before the first checkpoint', async () => {
    const { path } = await sessionIn(api, 'queued');
    const none = { base_commit: '', head_commit: '', additions: 0, deletions: 0, files: [] };
    expect((await api.call('GET', `${path}/diff`)).json).toEqual(none);
    expect((await api.call('GET', `${path}/patch`)).text).toBe('');
  });

  test('are what the newest checkpoint holds, and git applies the patch', async () => {
    const { id, path } = await sessionIn(api, 'queued');
    const run = await start(api, id);
    await leave(run, 'acme/old', 'old.txt');
    const patch = await leave(run, 'acme/old', 'a.txt');
    const { json } = await api.call('GET', `${path}/diff`);
    expect(json).toMatchObject({ head_commit: 'a'.repeat(40), additions: 1, files: [{ path: 'a.txt', patch }] });
    const answer = await api.call('GET', `${path}/patch`);
    expect(answer.headers.get('content-type')).toBe('text/x-diff; charset=utf-8');
    const work = await ada.start({ 'a.txt': 'one\n' });
    await writeFile(join(ada.root, 'change.patch'), answer.text);
    await ada.git(work, 'apply', '--index', join(ada.root, 'change.patch'));
    expect(await ada.git(work, 'show', ':a.txt')).toBe('two');
  });

  test('are an error where the blobs of the newest checkpoint are gone, and never look empty', async () => {
    const { id, path } = await sessionIn(api, 'queued');
    const run = await start(api, id);
    await leave(run, 'acme/lost', 'a.txt');
    await checkpoint(api, run, 'acme/lost', `checkpoints/${run.orgId}/${run.id}/elsewhere`);
    for (const kind of ['diff', 'patch']) {
      const answer = await api.call('GET', `${path}/${kind}`);
      expectError(answer, 502, 'upstream_error');
      expect(answer.json['message']).toContain('acme/lost are not in the blob store');
    }
  });

  test('of several repositories have the directory of each in their paths', async () => {
    for (const repo of ['acme/left', 'acme/right'])
      await api.call('POST', '/v3/organizations/default/repositories', { body: { provider: 'local', repo } });
    const body = { repositories: [{ repo: 'acme/left' }, { repo: 'acme/right' }] };
    const { id, path } = await sessionIn(api, 'queued', body);
    const run = await start(api, id);
    const patches = [await leave(run, 'acme/left', 'a.txt'), await leave(run, 'acme/right', 'b.txt')];
    const { json } = await api.call('GET', `${path}/diff`);
    expect(json).toMatchObject({ additions: 2, files: [{ path: 'left/a.txt' }, { path: 'right/b.txt' }] });
    expect((await api.call('GET', `${path}/patch`)).text).toBe(patches.join(''));
  });
});

describe('a part of a diff', () => {
  async function changed() {
    for (const repo of ['acme/one', 'acme/two'])
      await api.call('POST', '/v3/organizations/default/repositories', { body: { provider: 'local', repo } });
    const { id, path } = await sessionIn(api, 'queued', { repositories: [{ repo: 'acme/one' }, { repo: 'acme/two' }] });
    const run = await start(api, id);
    const patches = [await leave(run, 'acme/one', 'a.txt'), await leave(run, 'acme/two', 'a.txt')];
    return { path: `${path}/diff`, run, patches };
  }

  test('is the files without their patches, or one file; the numbers stay those of all', async () => {
    const { path, patches } = await changed();
    const whole = (await api.call('GET', path)).json;
    expect(whole).toMatchObject({ additions: 2, files: patches.map((patch) => ({ patch })) });
    const files = [whole['files']].flat();
    const get = async (query: string) => (await api.call('GET', `${path}?${query}`)).json;
    expect(await get('summary=true')).toEqual({
      ...whole,
      files: files.map((file) => ({ ...Object(file), patch: '' })),
    });
    expect(await get('path=two/a.txt')).toEqual({ ...whole, files: files.slice(1) });
    expect(await get('path=a.txt')).toEqual({ ...whole, files: [] });
    expect(await get('path=one/a.txt&summary=true')).toEqual({ ...whole, files: [{ ...Object(files[0]), patch: '' }] });
    for (const query of ['path=', 'summary=7', 'from=', 'since=x'])
      expectError(await api.call('GET', `${path}?${query}`), 400, 'invalid_request');
  });

  test('since a checkpoint is refused without one of the session, or where its files are not kept', async () => {
    const { path, run } = await changed();
    const checkpointsOf = async (session: string): Promise<{ id: string }[]> =>
      Object((await api.call('GET', `${session}/checkpoints`)).json['items']);
    const session = path.replace(/\/diff$/, '');
    const [newest, older] = await checkpointsOf(session);
    const same = await api.call('GET', `${path}?from=${newest?.id}`);
    expect([same.status, same.json['files']]).toEqual([200, []]);
    await api.ctx.db.pool.query('update session_checkpoints set commit = $1 where id = $2', [
      'c'.repeat(40),
      older?.id,
    ]);
    expectError(await api.call('GET', `${path}?from=${older?.id}`), 409, 'conflict');
    const other = await sessionIn(api, 'queued');
    await checkpoint(api, await start(api, other.id));
    const [foreign] = await checkpointsOf(other.path);
    for (const from of ['x', foreign?.id, run.id]) {
      expectError(await api.call('GET', `${path}?from=${from}`), 404, 'checkpoint_not_found');
      const headers = { 'if-none-match': '*' };
      expectError(await api.call('GET', `${path}?from=${from}`, { headers }), 404, 'checkpoint_not_found');
    }
  });

  test('has an ETag that changes with the checkpoint and with the query', async () => {
    const { path, run } = await changed();
    const get = (query: string, tag?: string) =>
      api.call('GET', `${path}${query}`, tag === undefined ? {} : { headers: { 'if-none-match': tag } });
    const tags = new Map<string, string>();
    for (const query of ['', '?summary=true', '?path=one/a.txt', '?path=two/a.txt']) {
      const { headers } = await get(query);
      tags.set(query, headers.get('etag') ?? '');
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect([query, (await get(query, tags.get(query))).status]).toEqual([query, 304]);
    }
    expect(new Set(tags.values()).size).toBe(4);
    expect((await get('', tags.get('?summary=true'))).status).toBe(200);
    await leave(run, 'acme/two', 'a.txt');
    for (const [query, tag] of tags) expect([query, (await get(query, tag)).status]).toEqual([query, 200]);
  });
});

describe('artifacts', () => {
  test('are listed newest first and served whole, as a download', async () => {
    const { id, path } = await sessionIn(api, 'queued');
    const run = await start(api, id);
    const ids: string[] = [];
    for (const name of ['first.txt', 'a "quoted" näme.html']) {
      const content = Buffer.from(`<b>${name}</b>`);
      const blob = `artifacts/${run.orgId}/${id}/${ids.length}`;
      await api.ctx.blobs.put(blob, content);
      const sha256 = createHash('sha256').update(content).digest('hex');
      ids.push(
        await recordArtifact(api.ctx, run, { name, contentType: 'text/html', sizeBytes: content.length, sha256, blob }),
      );
    }
    const { json } = await api.call('GET', `${path}/artifacts`);
    expect(json).toMatchObject({ total: 2, items: [{ id: ids[1] }, { id: ids[0], name: 'first.txt' }] });
    const item: unknown = Array.isArray(json['items']) ? json['items'][0] : undefined;
    expect(Object.keys(Object(item))).toEqual(['id', 'name', 'content_type', 'size_bytes', 'sha256', 'created_at']);
    const answer = await api.call('GET', `${path}/artifacts/${ids[1]}`);
    expect(answer.text).toBe('<b>a "quoted" näme.html</b>');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a__quoted__n_me.html"');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect([answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
      'text/html',
      'nosniff',
    ]);
    const other = await sessionIn(api, 'queued');
    for (const missing of [`${path}/artifacts/art_none`, `${other.path}/artifacts/${ids[0]}`])
      expectError(await api.call('GET', missing), 404, 'artifact_not_found');
  });
});

describe('change requests', () => {
  /** Creates a session that pushed `fix` and ended. */
  async function delivered(repo: string, push = true) {
    const made = await api.call('POST', '/v3/organizations/default/repositories', {
      body: { provider: 'local', repo },
    });
    const work = await ada.start({ 'a.txt': 'one\n' });
    const url = withKey(String(made.json['clone_url']), api.adminKey);
    const base = await ada.git(work, 'rev-parse', 'HEAD');
    await ada.git(work, 'push', '-q', url, 'main');
    const { id, path } = await sessionIn(api, 'queued', { repositories: [{ repo }], title: 'Fix it' });
    const run = await start(api, id);
    const head = await ada.commit(work, { 'a.txt': 'two\n' });
    if (push) await ada.git(work, 'push', '-q', url, 'HEAD:fix');
    const branch = push ? 'fix' : '';
    const stored: StoredRepository = {
      provider: 'local',
      repo,
      base_ref: 'main',
      base_commit: base,
      branch,
      repository_id: String(made.json['id']),
    };
    await noteRepositories(api.ctx, run, [stored]);
    return { run, path, head, base, repository: String(made.json['id']) };
  }

  test('POST says of a session without a repository that it has none', async () => {
    const { path } = await sessionIn(api, 'completed');
    const { status, json } = await api.call('POST', `${path}/change-requests`);
    expect([status, json['error']]).toEqual([409, 'conflict']);
    expect(json['message']).toContain('has no repository');
  });

  test('POST opens one for the branch as it is, once, and links it to the session', async () => {
    const { run, path, head, base, repository } = await delivered('acme/delivered');
    expectError(await api.call('POST', `${path}/change-requests`), 409, 'session_active');
    for (const repo of ['acme/none', 'github:acme/delivered'])
      expectError(await api.call('POST', `${path}/change-requests`, { body: { repo } }), 400, 'invalid_request');
    await finish(api.ctx, run, done);
    const body = { title: 'Mine', body: 'Look.', draft: true };
    const options = { body, headers: { 'idempotency-key': 'open-once' } };
    const { status, json } = await api.call('POST', `${path}/change-requests`, options);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...body, number: 1, state: 'open', head_ref: 'fix', head_sha: head, base_sha: base });
    expect(json).toMatchObject({ additions: 1, deletions: 1, changed_files: 1, session_id: run.id, mergeable: true });
    expect((await api.call('POST', `${path}/change-requests`, options)).json).toEqual(json);

    const named = { repo: 'local:Acme/delivered', title: 'Better' };
    const again = await api.call('POST', `${path}/change-requests`, { body: named });
    expect(again.json).toMatchObject({ number: 1, title: 'Better', body: 'Look.', draft: false });
    expect((await api.call('GET', `${path}/change-requests`)).json).toMatchObject({ total: 1, items: [{ number: 1 }] });
    const url = `${api.url}/console/default/repositories/${repository}/change-requests/1`;
    const linked = {
      provider: 'local',
      repo: 'acme/delivered',
      number: 1,
      url,
      draft: false,
      repository_id: repository,
    };
    expect((await api.call('GET', path)).json['change_requests']).toEqual([{ ...linked, state: 'open' }]);
    const events = (await api.call('GET', `${path}/events?first=200`)).text;
    expect(events).toContain(JSON.stringify({ ...linked, state: 'open', draft: true }).slice(1, 40));

    await api.call('POST', `/v3/organizations/default/repositories/${repository}/change-requests/1/merge`);
    expect((await api.call('GET', path)).json['change_requests']).toEqual([{ ...linked, state: 'merged' }]);
  });

  test('a session that pushed nothing, or another repository, is refused', async () => {
    const { run, path } = await delivered('acme/silent', false);
    await finish(api.ctx, run, done);
    expectError(await api.call('POST', `${path}/change-requests`), 409, 'conflict');
    const body = { repo: 'acme/other' };
    expectError(await api.call('POST', `${path}/change-requests`, { body }), 400, 'invalid_request');
    expectError(await api.call('POST', `${sessions}/ses_none/change-requests`), 404, 'session_not_found');
  });
});
