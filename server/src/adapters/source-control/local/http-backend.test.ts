import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { initBare, listBranches, listRefs, resolveRef } from '../../../git/bare.ts';
import { createGitFixture, serveFixture } from '../../../git/git-fixture.ts';
import { git } from '../../../git/native.ts';
import { packLimits } from '../../../git/pack/judge.ts';
import { deltaBomb, packOf } from '../../../git/pack/pack-fixture.ts';
import { encodePkt, flushPkt } from '../../../git/pkt-line.ts';
import type { GitFixture, GitServer } from '../../../git/git-fixture.ts';
import { codeOf } from '../../../lib/errors.ts';

let fixture: GitFixture;
let server: GitServer | undefined;
let bare: string;
let work: string;

beforeAll(async () => {
  fixture = await createGitFixture();
});
beforeEach(async () => {
  const name = randomBytes(4).toString('hex');
  bare = fixture.path(`acme/${name}.git`);
  await initBare(bare, { defaultBranch: 'main' });
  work = await fixture.work(`work-${name}`, { 'a.txt': 'one\n' });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => fixture.dispose());

async function start(options: Parameters<typeof serveFixture>[1] = {}): Promise<string> {
  server = await serveFixture(fixture.root, options);
  const url = `${server.url}${bare.slice(fixture.root.length)}`;
  await fixture.client(work, 'remote', 'add', 'origin', url);
  return url;
}

/** Disables compression, which makes random data slow to push and no smaller. */
async function withoutCompression(): Promise<void> {
  await fixture.client(work, 'config', 'core.compression', '0');
}

/** Sends a raw POST; returns status and body. */
async function post(
  url: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; body: Buffer }> {
  // A connection of its own, because the server may end it.
  const call = request(url, { method: 'POST', headers, agent: false });
  call.end(body);
  const [response] = await once(call, 'response');
  // A server that has responded need not read the rest.
  call.on('error', () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, body: Buffer.concat(chunks) };
}

describe('clone, fetch and push with the git client', () => {
  test('a push is cloned back, in full, shallow and without blobs, over protocol 0 and 2', async () => {
    const url = await start();
    await fixture.commit(work, { 'a.txt': 'two\n' });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    for (const [name, flags] of Object.entries({
      full: [],
      shallow: ['--depth', '1'],
      partial: ['--filter=blob:none'],
    })) {
      for (const version of ['0', '2']) {
        const target = `${work}-${name}-${version}`;
        await fixture.client(fixture.root, '-c', `protocol.version=${version}`, 'clone', '-q', ...flags, url, target);
        expect(await fixture.client(target, 'log', '--format=%s')).toBe(
          name === 'shallow' ? 'change' : 'change\nfirst',
        );
        expect(await fixture.client(target, 'show', 'HEAD:a.txt')).toBe('two');
        expect(await fixture.client(target, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
      }
    }
    const sha = await fixture.commit(work, { 'b.txt': 'three\n' });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    await fixture.client(`${work}-shallow-2`, 'fetch', '-q');
    expect(await fixture.client(`${work}-shallow-2`, 'rev-parse', 'origin/main')).toBe(sha);
    expect(server?.errors).toEqual([]);
  });

  test('an empty repository can be cloned and pushed to', async () => {
    const url = await start();
    await fixture.client(fixture.root, 'clone', '-q', url, `${work}-empty`);
    expect(await fixture.client(`${work}-empty`, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    await fixture.commit(`${work}-empty`, { x: 'x' });
    await fixture.client(`${work}-empty`, 'push', '-q', 'origin', 'main');
    expect(await listBranches(bare)).toHaveLength(1);
  });

  test('a push of more than 50 MB arrives chunked and whole', async () => {
    await start();
    await withoutCompression();
    const sha = await fixture.commit(work, { 'large.bin': randomBytes(55 * 1024 * 1024) });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    expect(await resolveRef(bare, 'main')).toBe(sha);
    expect(server?.requests.some(({ headers }) => headers['transfer-encoding'] === 'chunked')).toBe(true);
    await git(['fsck', '--strict'], { gitDir: bare });
  });

  test('a fetch with a long negotiation is sent gzipped by git and understood', async () => {
    await start();
    for (let index = 0; index < 60; index += 1) await fixture.commit(work, {}, `local ${index}`);
    await fixture.client(work, 'push', '-q', 'origin', 'HEAD~55:refs/heads/main');
    const other = await fixture.work(`${work.slice(fixture.root.length + 1)}-other`, { z: 'z' });
    await fixture.client(
      other,
      'push',
      '-q',
      `${server?.url}${bare.slice(fixture.root.length)}`,
      'HEAD:refs/heads/side',
    );
    for (const version of ['0', '2'])
      await fixture.client(work, '-c', `protocol.version=${version}`, 'fetch', '-q', 'origin', 'side');
    expect(server?.requests.some(({ headers }) => headers['content-encoding'] === 'gzip')).toBe(true);
    expect(server?.errors).toEqual([]);
  });

  test('of two concurrent pushes to one branch exactly one wins, and the other is told', async () => {
    const updates: string[] = [];
    await start({ onRefsUpdated: (all) => void updates.push(...all.map((update) => update.new)) });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    const rivals = await Promise.all(
      [1, 2, 3, 4].map(async (index) => {
        const target = `${work}-rival-${index}`;
        await fixture.client(fixture.root, 'clone', '-q', work, target);
        await fixture.client(target, 'remote', 'set-url', 'origin', `${server?.url}${bare.slice(fixture.root.length)}`);
        return { target, sha: await fixture.commit(target, { [`f${index}`]: 'x' }) };
      }),
    );
    const results = await Promise.allSettled(
      rivals.map(({ target }) => fixture.client(target, 'push', '-q', 'origin', 'main')),
    );
    const winners = rivals.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect(await resolveRef(bare, 'main')).toBe(winners[0]?.sha);
    expect(updates.slice(1)).toEqual([winners[0]?.sha]);
  });
});

describe('what a push may do', () => {
  test('its updates are reported before the client learns of its success', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reported = new Promise<unknown>((resolve) => {
      void start({
        onRefsUpdated: async (updates) => {
          resolve(updates);
          await gate;
        },
      });
    });
    await expect.poll(() => fixture.client(work, 'remote')).toBe('origin');
    const sha = await fixture.client(work, 'rev-parse', 'HEAD');
    let finished = false;
    const pushAll = async (): Promise<void> => {
      await fixture.client(work, 'push', '-q', 'origin', 'main', 'main:refs/tags/v1');
      finished = true;
    };
    const push = pushAll();
    const none = '0'.repeat(40);
    expect(await reported).toEqual([
      { ref: 'refs/heads/main', old: none, new: sha },
      { ref: 'refs/tags/v1', old: none, new: sha },
    ]);
    expect(finished).toBe(false);
    release();
    await push;
    expect(server?.served.at(-1)).toMatchObject({ status: 200, updates: [{ new: sha }, { new: sha }] });
  });

  test('a refusal by the caller reaches the client as the reason, and nothing changes', async () => {
    await start({
      authorizePush: (commands) => (commands[0]?.ref === 'refs/heads/main' ? 'main is protected' : undefined),
    });
    await fixture.commit(work, { 'large.bin': randomBytes(3 * 1024 * 1024) });
    await expect(fixture.client(work, 'push', '-q', 'origin', 'main')).rejects.toThrow(
      /remote rejected.*main is protected/,
    );
    expect(await listBranches(bare)).toEqual([]);
    await fixture.client(work, 'push', '-q', 'origin', 'main:topic');
    expect((await listBranches(bare)).map((branch) => branch.name)).toEqual(['topic']);
  });

  test('a right that is lost while the pack comes is refused too: it is asked for again before the last of it goes on', async () => {
    let isLost = false;
    const asked: string[] = [];
    await start({
      authorizePush: (commands) => {
        // Git's probe before a large pack.
        if (commands.length === 0) return undefined;
        asked.push(commands.map(({ ref }) => ref).join());
        const reason = isLost ? 'another worker took over the session' : undefined;
        isLost = true;
        return reason;
      },
    });
    await fixture.commit(work, { 'large.bin': randomBytes(3 * 1024 * 1024) });
    await expect(fixture.client(work, 'push', '-q', 'origin', 'main')).rejects.toThrow(
      /remote rejected.*another worker took over the session/,
    );
    expect(asked).toEqual(['refs/heads/main', 'refs/heads/main']);
    expect(await listBranches(bare)).toEqual([]);
    expect(server?.served.at(-1)?.updates).toEqual([]);
  });

  test('a deletion, which has no pack, is asked about again as well', async () => {
    const reasons = [undefined, undefined, undefined, 'another worker took over the session'];
    await start({ denyDeletes: false, authorizePush: () => reasons.shift() });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    await expect(fixture.client(work, 'push', '-q', 'origin', ':main')).rejects.toThrow(/took over the session/);
    expect(await listBranches(bare)).toHaveLength(1);
  });

  test('deletions are refused unless allowed; refs of the platform are neither shown nor writable', async () => {
    const url = await start();
    await fixture.client(work, 'push', '-q', 'origin', 'main', 'main:topic');
    await git(['update-ref', 'refs/guildhall/secret', (await resolveRef(bare, 'main')) ?? ''], { gitDir: bare });
    await expect(fixture.client(work, 'push', '-q', 'origin', ':topic')).rejects.toThrow(/deletion prohibited/);
    await expect(fixture.client(work, 'push', '-q', 'origin', 'main:refs/guildhall/x')).rejects.toThrow(
      /not a branch, tag or note/,
    );
    expect(await fixture.client(work, 'ls-remote', url)).not.toContain('guildhall');
    await server?.close();
    server = await serveFixture(fixture.root, { denyDeletes: false });
    await fixture.client(work, 'push', '-q', `${server.url}${bare.slice(fixture.root.length)}`, ':topic');
    expect((await listBranches(bare)).map((branch) => branch.name)).toEqual(['main']);
    expect(server.served.at(-1)?.updates).toMatchObject([{ ref: 'refs/heads/topic', new: '0'.repeat(40) }]);
  });

  test.each([
    ['refs/replace/x', 'not a branch, tag or note'],
    ['refs/changes/1', 'not a branch, tag or note'],
    ['refs/heads/HEAD', 'not a valid name'],
    ['refs/heads/-x', 'not a valid name'],
    ['refs/tags/-x', 'not a valid name'],
  ])('nothing is pushed to %s, which means something else to a clone', async (ref, reason) => {
    const url = await start();
    const sha = await fixture.client(work, 'rev-parse', 'HEAD');
    await fixture.client(work, 'push', '-q', 'origin', 'main', 'main:refs/notes/fine');
    const head = encodePkt(`${'0'.repeat(40)} ${sha} ${ref}\0report-status`);
    const { body } = await post(`${url}/git-receive-pack`, Buffer.concat([head, flushPkt, packOf([])]), {
      'content-type': 'application/x-git-receive-pack-request',
    });
    expect(body.toString()).toContain(`ng ${ref} ${ref} is ${reason}`);
    expect([...(await listRefs(bare, 'refs/')).keys()]).toEqual(['refs/heads/main', 'refs/notes/fine']);
  });

  test('a pack with a malformed object or above the size limit is refused and leaves nothing', async () => {
    await start({ maxPushBytes: 1024 * 1024 });
    const tree = await git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
      gitDir: `${work}/.git`,
      input: Buffer.concat([Buffer.from('100644 .git\0'), randomBytes(20)]),
    });
    const bad = await fixture.client(work, 'commit-tree', '-m', 'x', tree.stdout.trim());
    await expect(fixture.client(work, 'push', '-q', 'origin', `${bad}:refs/heads/bad`)).rejects.toThrow(
      /hasDotgit|bad sha|fatal|missing/,
    );
    await fixture.commit(work, { 'large.bin': randomBytes(4 * 1024 * 1024) });
    await expect(fixture.client(work, 'push', '-q', 'origin', 'main')).rejects.toThrow(/the push is too large/);
    expect(await listRefs(bare, 'refs/')).toEqual(new Map());
    expect((await git(['count-objects', '-v'], { gitDir: bare })).stdout).toContain('in-pack: 0');
  });
});

describe('a pack that asks for more than it brings', () => {
  test('is refused with a reason that git prints, before anything of it is unpacked', async () => {
    await start({
      packLimits: { ...packLimits, objectBytes: 10_000, unpackedBytes: 300_000, unpackedBytesPerByte: 0 },
    });
    await fixture.commit(work, { 'large.txt': Buffer.alloc(10_001) });
    await expect(fixture.client(work, 'push', 'origin', 'main')).rejects.toThrow(
      /\[remote rejected\] main -> main \(a file has 10,001 bytes; at most 10,000 are allowed\)/,
    );
    await fixture.client(work, 'reset', '-q', '--hard', 'HEAD~1');
    for (let index = 0; index < 40; index += 1) {
      await fixture.commit(work, { 'growing.txt': randomText.slice(0, 9_000 + index) });
    }
    await expect(fixture.client(work, 'push', 'origin', 'main')).rejects.toThrow(/push fewer commits at a time/);
    expect(await listRefs(bare, 'refs/')).toEqual(new Map());
    await expect.poll(() => readdir(`${bare}/objects`)).toEqual(['info', 'pack']);
    await fixture.client(work, 'push', '-q', 'origin', 'main~30:refs/heads/main');
    await fixture.client(work, 'push', '-q', 'origin', 'main~15:refs/heads/main');
    expect(server?.errors).toEqual([]);
  });

  test('costs a moment where deltas make gigabytes of a few bytes', async () => {
    const url = await start();
    const { commit, pack } = deltaBomb(400_000_000, 40);
    expect(pack.length).toBeLessThan(400_000);
    const head = encodePkt(`${'0'.repeat(40)} ${commit} refs/heads/main\0report-status`);
    const { body } = await post(`${url}/git-receive-pack`, Buffer.concat([head, flushPkt, pack]), {
      'content-type': 'application/x-git-receive-pack-request',
    });
    expect(body.toString()).toContain(
      'ng refs/heads/main a file has 400,000,000 bytes; at most 104,857,600 are allowed',
    );
    expect(server?.served.at(-1)).toEqual({ status: 200, updates: [] });
    expect(await listRefs(bare, 'refs/')).toEqual(new Map());
  });
});

describe('requests that are not as they should be', () => {
  test('wrong method, media type, encoding and malformed bodies are answered, and the server goes on', async () => {
    const url = await start();
    const type = { 'content-type': 'application/x-git-receive-pack-request' };
    expect((await fetch(`${url}/git-receive-pack`)).status).toBe(405);
    expect((await fetch(`${url}/info/refs?service=git-receive-pack`, { method: 'POST' })).status).toBe(405);
    expect((await post(`${url}/git-receive-pack`, Buffer.from('x'), { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
    expect(
      (await post(`${url}/git-receive-pack`, Buffer.from('x'), { ...type, 'content-encoding': 'br' })).status,
    ).toBe(415);
    expect((await post(`${url}/git-receive-pack`, Buffer.from('no packet'), type)).status).toBe(400);
    expect(
      (await post(`${url}/git-receive-pack`, Buffer.from('not gzip'), { ...type, 'content-encoding': 'gzip' })).status,
    ).toBe(400);
    expect((await fetch(`${url}/HEAD`)).status).toBe(404);
    await fixture.client(work, 'push', '-q', 'origin', 'main');
  });

  test('a gzipped body is inflated, and one that inflates without end is cut off', async () => {
    const url = await start();
    const type = { 'content-type': 'application/x-git-upload-pack-request', 'content-encoding': 'gzip' };
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    const ls = Buffer.concat([encodePkt('command=ls-refs\n'), Buffer.from('0001'), encodePkt('peel\n'), flushPkt]);
    const answer = await post(`${url}/git-upload-pack`, gzipSync(ls), { ...type, 'git-protocol': 'version=2' });
    expect(answer.body.toString()).toContain('refs/heads/main');
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, '0004'));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    // The server may end the connection while the client still sends, and then the client may miss the response.
    const refused = await post(`${url}/git-upload-pack`, bomb, { ...type, 'git-protocol': 'version=2' }).catch(codeOf);
    if (typeof refused === 'string') expect(['ECONNRESET', 'EPIPE']).toContain(refused);
    else expect(refused.status === 400 || refused.body.length < 1024).toBe(true);
    const after = await post(`${url}/git-upload-pack`, gzipSync(ls), { ...type, 'git-protocol': 'version=2' });
    expect(after.body.toString()).toContain('refs/heads/main');
  });

  test('the empty probe, and a client that waits for 100-continue, are answered', async () => {
    const url = await start();
    const type = { 'content-type': 'application/x-git-receive-pack-request' };
    expect((await post(`${url}/git-receive-pack`, flushPkt, type)).status).toBe(200);
    const call = request(`${url}/git-receive-pack`, { method: 'POST', headers: { ...type, expect: '100-continue' } });
    call.flushHeaders();
    await once(call, 'continue');
    call.end(flushPkt);
    const [response] = await once(call, 'response');
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  test('a client that goes away in the middle of a push or fetch takes git with it and changes nothing', async () => {
    const url = await start();
    const call = request(`${url}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    call.on('error', () => {});
    const sha = await fixture.client(work, 'rev-parse', 'HEAD');
    call.write(
      Buffer.concat([
        encodePkt(`${'0'.repeat(40)} ${sha} refs/heads/main\0report-status`),
        flushPkt,
        Buffer.from('PACK'),
      ]),
    );
    await expect.poll(() => processesIn(bare), { timeout: 10_000 }).toBeGreaterThan(0);
    call.destroy();
    await server?.settled(1);
    expect(server?.served).toEqual([{ status: 499, updates: [] }]);
    await expect.poll(() => processesIn(bare), { timeout: 10_000 }).toBe(0);

    await withoutCompression();
    await fixture.commit(work, { 'large.bin': randomBytes(30 * 1024 * 1024) });
    await fixture.client(work, 'push', '-q', 'origin', 'main');
    const before = server?.served.length ?? 0;
    const body = Buffer.concat([
      encodePkt('command=fetch'),
      Buffer.from('0001'),
      encodePkt(`want ${await fixture.client(work, 'rev-parse', 'HEAD')}`),
      encodePkt('done'),
      flushPkt,
    ]);
    const fetching = request(`${url}/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
    });
    fetching.on('error', () => {});
    fetching.end(body);
    const [response] = await once(fetching, 'response');
    response.on('error', () => {});
    await once(response, 'readable');
    response.destroy();
    await server?.settled(before + 1);
    expect(server?.served.at(-1)?.status).toBe(499);
    await expect.poll(() => processesIn(bare), { timeout: 10_000 }).toBe(0);
  });

  test('an exchange that takes too long is ended although it moves', async () => {
    const url = await start({ timeoutMs: 1_500 });
    const call = request(`${url}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    const head = encodePkt(`${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\0report-status`);
    call.write(Buffer.concat([head, flushPkt, packOf([], 1).subarray(0, 12), Buffer.from([0xbf])]));
    const trickle = setInterval(() => call.write(Buffer.from([0x80])), 400);
    await expect(once(call, 'response')).rejects.toThrow(/hang up|reset/);
    clearInterval(trickle);
    await server?.settled(1);
    await expect.poll(() => processesIn(bare), { timeout: 10_000 }).toBe(0);
  });

  test('an exchange in which nothing moves is ended', async () => {
    const url = await start({ idleTimeoutMs: 100 });
    const call = request(`${url}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    call.write(
      Buffer.concat([
        encodePkt(`${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\0report-status`),
        flushPkt,
        Buffer.from('PACK'),
      ]),
    );
    await expect(once(call, 'response')).rejects.toThrow(/hang up|reset/);
    await server?.settled(1);
    await expect.poll(() => processesIn(bare), { timeout: 10_000 }).toBe(0);
  });
});

const randomText = randomBytes(10_000).toString('base64');

/** Counts the git processes in a repository. */
async function processesIn(path: string): Promise<number> {
  let count = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (cwd === path) count += 1;
  }
  return count;
}
