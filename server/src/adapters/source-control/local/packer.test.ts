import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createGitFixture, type GitFixture } from '../../../git/git-fixture.ts';
import { git } from '../../../git/native.ts';
import { createLog } from '../../../lib/log.ts';
import { createPacker } from './packer.ts';

const dueRefs = 100;
let fixture: GitFixture;

beforeAll(async () => {
  fixture = await createGitFixture();
});
afterEach(() => vi.useRealTimers());
afterAll(() => fixture.dispose());

async function repository(name: string) {
  const path = fixture.path(name);
  await git(['init', '-q', '--bare', path]);
  const packedAt = () =>
    stat(join(path, 'guildhall-packed')).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const packedAfter = (time: number) => expect.poll(packedAt).toBeGreaterThan(time);
  return { path, packedAt, packedAfter };
}

test('a repository that is due after each push rests between its packings, and holds up no other', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [often, other] = [await repository('often.git'), await repository('other.git')];
  const packer = createPacker({ log: createLog('silent'), leaveBytes: 0 });
  packer.packSoon(often.path, dueRefs);
  await often.packedAfter(0);
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  const first = await often.packedAt();

  packer.packSoon(often.path, dueRefs);
  packer.packSoon(other.path, dueRefs);
  await other.packedAfter(0);
  expect(await often.packedAt()).toBe(first);

  await vi.advanceTimersByTimeAsync(60 * 60_000);
  await often.packedAfter(first);
  await packer.close();
  expect(vi.getTimerCount()).toBe(0);
});
