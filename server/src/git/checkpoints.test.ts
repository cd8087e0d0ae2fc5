import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { initBare, listRefs, resolveRef } from './bare.ts';
import { checkpointRef, createBundle, openCheckpoints, push, receiveBundle, restoreFromBundle } from './checkpoints.ts';
import { createGitFixture, serveFixture } from './git-fixture.ts';
import { git } from './native.ts';
import { deltaBomb } from './pack/pack-fixture.ts';
import type { GitFixture } from './git-fixture.ts';

let fixture: GitFixture;
let work: string;
let mirrorPath: string;
let path: string;
let base: string;
let head: string;
let bundle: string;
let counter = 0;

beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());
beforeEach(async () => {
  counter += 1;
  work = await fixture.work(`work-${counter}`, { 'a.txt': 'one\n' });
  base = await fixture.client(work, 'rev-parse', 'HEAD');
  mirrorPath = fixture.path(`mirror-${counter}.git`);
  await fixture.client(fixture.root, 'clone', '-q', '--bare', work, mirrorPath);
  head = await fixture.commit(work, { 'a.txt': 'two\n', 'b.txt': 'new\n' });
  bundle = fixture.path(`bundle-${counter}`);
  await fixture.client(work, 'bundle', 'create', '-q', bundle, 'main', `^${base}`);
  path = fixture.path(`checkpoints-${counter}.git`);
  await openCheckpoints(path, { mirrorPath });
});

describe('a bundle', () => {
  test('from a file, bytes or a stream becomes a checkpoint; the same again changes nothing', async () => {
    expect(await receiveBundle(path, bundle, { ref: checkpointRef(1) })).toBe(head);
    expect(await receiveBundle(path, await readFile(bundle), { ref: checkpointRef(2) })).toBe(head);
    expect(await receiveBundle(path, createReadStream(bundle, { highWaterMark: 10 }), { ref: checkpointRef(3) })).toBe(
      head,
    );
    expect(await receiveBundle(path, bundle, { ref: checkpointRef(1) })).toBe(head);
    expect([...(await listRefs(path, 'refs/')).keys()]).toEqual([1, 2, 3].map((number) => checkpointRef(number)));
    expect((await git(['show', `${head}:a.txt`], { gitDir: path })).stdout).toBe('two\n');
    expect((await git(['count-objects', '-v'], { gitDir: path })).stdout).toContain('count: 4');
  });

  test('made here goes to another machine and holds only what the base does not', async () => {
    await receiveBundle(path, bundle, { ref: checkpointRef(1) });
    const file = fixture.path('out.bundle');
    expect(await createBundle(path, { commit: head, notReachableFrom: base, file })).toBe(true);
    expect(await createBundle(path, { commit: base, notReachableFrom: head, file: `${file}-none` })).toBe(false);
    const elsewhere = fixture.path('elsewhere.git');
    expect(await restoreFromBundle(elsewhere, { mirrorPath, bundle: file, ref: checkpointRef(7) })).toBe(head);
    const alone = fixture.path('alone.git');
    await expect(restoreFromBundle(alone, { bundle: file, ref: checkpointRef(7) })).rejects.toMatchObject({
      retryable: false,
    });
    expect(await listRefs(alone, 'refs/')).toEqual(new Map());
  });

  test('that is damaged, foreign, cut off, too large or of several commits is refused and leaves no ref', async () => {
    const bytes = await readFile(bundle);
    const flipped = Buffer.from(bytes);
    flipped[flipped.length - 30] = (flipped[flipped.length - 30] ?? 0) ^ 0xff;
    await fixture.client(work, 'branch', 'second', base);
    await fixture.client(work, 'bundle', 'create', '-q', `${bundle}-2`, '--all');
    const bad: [string, Buffer][] = [
      ['flipped', flipped],
      ['cut', bytes.subarray(0, bytes.length - 10)],
      ['head only', bytes.subarray(0, 20)],
      ['empty', Buffer.alloc(0)],
      ['other', Buffer.from('<html>\n\n</html>')],
      ['endless head', Buffer.alloc(100_000, '# v2 git bundle\n')],
      ['several', await readFile(`${bundle}-2`)],
    ];
    for (const [label, content] of bad) {
      await expect(receiveBundle(path, content, { ref: checkpointRef(1) }), label).rejects.toMatchObject({
        retryable: false,
      });
    }
    await expect(receiveBundle(path, bytes, { ref: checkpointRef(1), maxBytes: 50 })).rejects.toThrow(
      /maximum allowed size/,
    );
    await expect(receiveBundle(path, bytes, { ref: 'main' })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await listRefs(path, 'refs/')).toEqual(new Map());
    expect((await git(['count-objects', '-v'], { gitDir: path })).stdout).toMatch(/count: 0[^]*in-pack: 0/);
  });

  test('has the ref set to a commit that its own follows, and to none that it does not bring', async () => {
    const [parent = ''] = (await fixture.client(work, 'rev-parse', `${head}^`)).split('\n');
    expect(await receiveBundle(path, bundle, { ref: checkpointRef(1), commit: parent })).toBe(parent);
    expect((await listRefs(path, 'refs/')).get(checkpointRef(1))).toBe(parent);
    const absent = receiveBundle(path, bundle, { ref: checkpointRef(2), commit: 'a'.repeat(40) });
    await expect(absent).rejects.toThrow(/missing necessary objects/);
    expect((await listRefs(path, 'refs/')).has(checkpointRef(2))).toBe(false);
  });

  test('with more than git may be made to unpack is refused with the reason, however few bytes it has', async () => {
    const { commit, pack } = deltaBomb(130 * 1024 * 1024, 3);
    const made = Buffer.concat([Buffer.from(`# v2 git bundle\n${commit} refs/heads/x\n\n`), pack]);
    await expect(receiveBundle(path, made, { ref: checkpointRef(1) })).rejects.toMatchObject({
      retryable: false,
      message: 'the bundle was refused: a file has 136,314,880 bytes; at most 104,857,600 are allowed',
    });
    expect(await listRefs(path, 'refs/')).toEqual(new Map());
  });

  test('with an object git would never make, or one that is missing, is refused', async () => {
    const gitDir = `${work}/.git`;
    const blob = (await git(['hash-object', '-w', '--stdin'], { gitDir, input: 'x' })).stdout.trim();
    const entry = (name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(id, 'hex')]);
    for (const [name, id] of [
      ['.git', blob],
      ['..', blob],
      ['missing', randomBytes(20).toString('hex')],
    ] as const) {
      const { stdout } = await git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
        gitDir,
        input: entry(name, id),
      });
      const commit = await fixture.client(work, 'commit-tree', '-p', base, '-m', 'x', stdout.trim());
      const pack = await git(['rev-list', '--objects', '--missing=allow-any', commit, `^${base}`], { gitDir });
      const ids = pack.stdout
        .split('\n')
        .map((line) => line.slice(0, 40))
        .filter((line) => line !== '' && line !== id);
      if (name !== 'missing') ids.push(blob);
      const made = await handMade(gitDir, commit, ids);
      for (const known of [{}, { known: [base, ''] }])
        await expect(receiveBundle(path, made, { ref: checkpointRef(1), ...known }), name).rejects.toMatchObject({
          retryable: false,
        });
    }
    expect(await listRefs(path, 'refs/')).toEqual(new Map());
  });
});

/** Creates a bundle of exactly these objects, as an attacker would. */
async function handMade(gitDir: string, commit: string, ids: string[]): Promise<Buffer> {
  const { gitBytes } = await import('./native.ts');
  const { stdout } = await gitBytes(['pack-objects', '--stdout', '-q'], { gitDir, input: `${ids.join('\n')}\n` });
  return Buffer.concat([Buffer.from(`# v2 git bundle\n-${base}\n${commit} refs/heads/x\n\n`), stdout]);
}

describe('push', () => {
  test('sets one branch to one commit, with a lease, and again without effect', async () => {
    await mkdir(fixture.path('acme'), { recursive: true });
    const bare = fixture.path(`acme/push-${counter}.git`);
    await initBare(bare, { defaultBranch: 'main' });
    const server = await serveFixture(fixture.root);
    const remote = { url: `http://x:s3cret@${new URL(server.url).host}/acme/push-${counter}.git` };
    await receiveBundle(path, bundle, { ref: checkpointRef(1) });
    const branch = 'guildhall/ses_1';
    const send = (extra: Partial<Parameters<typeof push>[0]> = {}): Promise<void> =>
      push({ gitDir: path, commit: head, remote, branch, ...extra });
    await send({ expectedOld: null });
    expect(await listRefs(bare, 'refs/')).toEqual(new Map([[`refs/heads/${branch}`, head]]));
    await send({ expectedOld: null });
    await expect(send({ commit: base, expectedOld: null })).rejects.toMatchObject({ name: 'PushRefused' });
    await expect(send({ commit: base, expectedOld: base.replaceAll(/./g, 'a') })).rejects.toMatchObject({
      name: 'PushRefused',
    });
    await send({ commit: base, expectedOld: head });
    await send();
    expect(await resolveRef(bare, branch)).toBe(head);
    await server.close();
  });

  test('refused by the remote’s rules is a branch conflict, unreachable is retryable, and neither tells a secret', async () => {
    const bare = fixture.path(`acme/push-${counter}.git`);
    await initBare(bare, { defaultBranch: 'main' });
    const server = await serveFixture(fixture.root, { authorizePush: () => 'the branch is protected' });
    const url = `http://x:s3cret@${new URL(server.url).host}/acme/push-${counter}.git`;
    const attempt = push({ gitDir: mirrorPath, commit: base, remote: { url }, branch: 'main' });
    await expect(attempt).rejects.toMatchObject({
      name: 'PushRefused',
      message: expect.stringContaining('protected'),
    });
    await server.close();
    const gone = push({ gitDir: mirrorPath, commit: base, remote: { url }, branch: 'main' });
    await expect(gone).rejects.toMatchObject({ name: 'GitError', retryable: true });
    await expect(gone).rejects.not.toThrow(/s3cret/);
    await rm(bare, { recursive: true });
  });
});
