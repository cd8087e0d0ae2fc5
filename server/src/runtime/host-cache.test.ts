import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../test/support/sessions.ts';
import { createLayerStore } from '../adapters/sandbox/layer-store.ts';
import { createLog } from '../lib/log.ts';
import { openHostCache } from './host-cache.ts';

const mebibyte = 1024 ** 2;

describe('copies on a disk', () => {
  let root: string;
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** Sets when an entry was used last, in seconds. */
  async function use(name: string, seconds: number): Promise<void> {
    await utimes(join(root, `${name}.lock`), seconds, seconds);
  }

  /** Creates a worker's directories with a mirror or a layer of `sizes` MiB each, least recently used first. */
  async function filled(sizes: Record<string, number>) {
    root = await mkdtemp(join(tmpdir(), 'guildhall-copies-'));
    const [mirrors, layers] = [join(root, 'mirrors'), join(root, 'layers')];
    await Promise.all([mirrors, layers].map((path) => mkdir(path)));
    const layerStore = createLayerStore(join(root, 'sandboxes'), createLog('fatal'));
    const names = Object.keys(sizes);
    const layerOf = new Map<string, string>();
    for (const name of names) {
      const path = join(root, name);
      const content = randomBytes((sizes[name] ?? 0) * mebibyte);
      if (name.startsWith('layers/')) {
        const layer = await layerStore.save((directory) => writeFile(join(directory, 'home'), content));
        layerOf.set(name, layer);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(`${path}.json`, JSON.stringify({ layer, commits: [] }));
      } else {
        await mkdir(join(path, 'objects'), { recursive: true });
        await writeFile(join(path, 'objects', 'pack'), content);
      }
      await writeFile(`${path}.lock`, '');
      await use(name, Date.now() / 1_000 - 3_600 + names.indexOf(name));
    }
    const open = (maxMebibytes: number, reserveBytes = 0) =>
      openHostCache({
        mirrors,
        layers,
        layerStore,
        maxBytes: maxMebibytes * mebibyte,
        reserveBytes,
        log: createLog('fatal'),
      });
    /** Checks that both sides of a layer exist, or neither. */
    const isLeft = (name: string): boolean => {
      const layer = layerOf.get(name);
      if (layer === undefined) return existsSync(join(root, name));
      const isThere = existsSync(join(root, 'sandboxes/layers', layer));
      expect(existsSync(join(root, `${name}.json`))).toBe(isThere);
      return isThere;
    };
    return { open, layerStore, layerOf, left: () => names.filter(isLeft) };
  }

  const key = (digit: string): string => digit.repeat(32);
  const old = 'mirrors/org_old/gc_1/repo_1.git';
  const greedy = [
    'mirrors/org_greedy/gc_1/repo_2.git',
    `layers/org_greedy/${key('a')}`,
    `layers/org_greedy/${key('b')}`,
  ];
  const [first = '', second = '', third = ''] = greedy;

  test('an organization that brings more than fits drives out its own, what it used longest ago first', async () => {
    const { open, left } = await filled({ [old]: 2, [first]: 3, [second]: 3, [third]: 3 });
    await open(0).evict();
    expect(left()).toEqual([old, ...greedy]);
    await open(9).evict();
    expect(left()).toEqual([old, second, third]);
    expect(await readdir(join(root, 'mirrors/org_greedy/gc_1'))).toEqual([]);
  });

  test('the rest of a first copy whose process was killed counts, and goes like a whole one, unless it is made now', async () => {
    const rest = 'mirrors/org_old/gc_1/repo_9.git.new-0123456789ab';
    const { open, left } = await filled({ [rest]: 3, [first]: 3 });
    await writeFile(join(root, 'mirrors/org_old/gc_1/repo_9.git.lock'), '');
    await use('mirrors/org_old/gc_1/repo_9.git', Date.now() / 1_000 - 86_400);
    const copies = open(4);
    const release = copies.retain(join(root, 'mirrors/org_old/gc_1/repo_9.git'));
    await copies.evict();
    expect(left()).toEqual([rest]);
    release();
    await open(2).evict();
    expect(left()).toEqual([]);
  });

  test('what was not used for 30 days goes, without any limit', async () => {
    const { open, left, layerStore } = await filled({ [old]: 1, [first]: 1, [second]: 1, [third]: 1 });
    const daysAgo = (days: number): number => Date.now() / 1_000 - days * 86_400;
    for (const name of [old, second]) await use(name, daysAgo(31));
    await use(third, daysAgo(29));
    await open(0).evict();
    expect(left()).toEqual([first, third]);
    expect(await layerStore.list()).toHaveLength(1);
  });

  test('a held layer stays until every hold is released, and its use counts', async () => {
    const { open, left } = await filled({ [first]: 3, [second]: 3, [third]: 3 });
    const copies = open(4);
    const releases = [first, first].map((name) => copies.retain(join(root, name)));
    await copies.evict();
    expect(left()).toEqual([first]);
    releases.pop()?.();
    releases.pop()?.();
    await copies.evict();
    expect(left()).toEqual([first]);
    const small = open(1);
    const release = small.retain(join(root, first));
    const again = small.retain(join(root, first));
    release();
    release();
    await small.evict();
    expect(left()).toEqual([first]);
    again();
    await small.evict();
    expect(left()).toEqual([]);
  });

  test('the leftovers of a crash are removed, except a layer that is being saved', async () => {
    const { open, layerStore, layerOf, left } = await filled({ [second]: 1, [third]: 1 });
    const earlier = join(root, `layers/org_old/${key('d')}`);
    await mkdir(join(earlier, 'home'), { recursive: true });
    await writeFile(`${earlier}.json`, JSON.stringify({ size_bytes: 1, commits: [] }));
    await layerStore.discard(layerOf.get(third) ?? '');
    const orphan = await layerStore.save((directory) => writeFile(join(directory, 'home'), 'x'));
    const copies = open(0);
    const release = copies.retain(join(root, `layers/org_greedy/${key('e')}`));
    await copies.evict();
    expect(await layerStore.list()).toContain(orphan);
    release();
    await copies.evict();
    expect(await layerStore.list()).toEqual([layerOf.get(second)]);
    expect(left()).toEqual([second]);
    expect(await readdir(join(root, 'layers/org_old'))).toEqual([]);
  });

  test('with too little free disk all that is idle goes, and what an ended process was removing', async () => {
    const { open, left } = await filled({ [old]: 1, [first]: 1, [second]: 1 });
    await mkdir(join(root, `layers/org_old/${key('c')}.evicted-x/home`), { recursive: true });
    const copies = open(0, 1024 ** 5);
    copies.retain(join(root, second));
    await copies.evict();
    expect(left()).toEqual([second]);
    expect(await readdir(join(root, 'layers/org_old'))).toEqual([]);
  });
});

describe('copies of sessions', () => {
  let fixture: RuntimeFixture;
  beforeAll(async () => {
    fixture = await createRuntimeFixture({ GUILDHALL_CACHE_MAX: '1KiB' });
  });
  afterAll(() => fixture.close());

  test('stay as long as a session has a sandbox, go afterwards, and are made again', async () => {
    const worker = await fixture.startWorker();
    const { cache: copies, mirrorsDirectory, workDirectory } = worker.ctx;
    const there = async () => {
      const names = [mirrorsDirectory, join(workDirectory, 'layers')].map((path) => readdir(path, { recursive: true }));
      const [mirrors, layers] = (await Promise.all(names)).map((found) =>
        found.filter((name) => /\/(?:[^/]+\.git|[0-9a-f]{32}\.json)$/.test(name)),
      );
      return [mirrors?.length, layers?.length];
    };
    const repository = await fixture.repository(
      { 'package-lock.json': '{}\n' },
      { setup_command: 'date +%N > ~/made' },
    );
    const said = async (id: string) =>
      (await fixture.events(id))
        .filter(({ kind, phase }) => kind === 'output' && phase === 'implement')
        .map(({ data }) => String(data['text']))
        .join('');
    const steps = [{ run: 'cat ~/made' }, { run: 'echo begun; sleep 300' }];
    const { id } = await fixture.create({ repository, deliver: 'none', agent: { steps, summary: '' } });
    await fixture.until(async () => (await said(id)).includes('begun') || undefined, 'it works');
    await copies.evict();
    expect(await there()).toEqual([1, 1]);
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${id}/cancel`, { body: {} });
    await fixture.until(async () => {
      await copies.evict();
      return (await there()).join() === '0,0' || undefined;
    }, 'its copies go');
    const again = await fixture.run({ repository, deliver: 'none', agent: { steps: steps.slice(0, 1), summary: '' } });
    expect(again.error).toBeNull();
    const [before, after] = [await said(id), await said(again.id)].map((text) => /^\d+/.exec(text)?.[0]);
    expect(after).toMatch(/^\d+$/);
    expect(after).not.toBe(before);
  });
});
