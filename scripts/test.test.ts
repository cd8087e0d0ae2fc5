import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs `scripts/test.js` for one file of tests, as CI does; returns its output lines and its exit code. */
async function runInCi(tests: string): Promise<{ lines: string[]; code: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'some.test.js'), tests);
  const args = [join(import.meta.dirname, 'test.js'), `--root=${directory}`, '--globals'];
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...environment, CI: 'true' }, timeout: 60_000 }, (error, stdout) => {
      resolve({ lines: stdout.trim().split('\n'), code: Number(error?.code ?? 0) });
    });
  });
}

const passing = "test('works', () => undefined);";

test.each([
  ["test('S3 (optional)', (context) => context.skip('none here'));", 'S3 (optional): none here'],
  ["describe.skip('S3 (optional: none here)', () => test('stores', () => {}));", 'S3 (optional: none here)'],
])('in CI an optional test may be skipped, and its reason is printed: %s', async (skipped, line) => {
  const { lines, code } = await runInCi(`${passing} ${skipped}`);
  expect(lines.filter((text) => text.startsWith('skipped: '))).toEqual([expect.stringContaining(` > ${line}`)]);
  expect([lines.at(-1), code]).toEqual(['1 passed, 0 failed, 1 skipped', 0]);
});

test('a block that is skipped as a whole has one line', async () => {
  const block =
    "describe.skip('S3 (optional: none here)', () => { test('stores', () => {}); test('reads', () => {}); });";
  const { lines } = await runInCi(`${passing} ${block}`);
  expect(lines.filter((text) => text.startsWith('skipped: '))).toEqual([
    expect.stringMatching(/some\.test\.js > S3 \(optional: none here\) \(2 tests\)$/),
  ]);
});

test('in CI any other test that is skipped has failed', async () => {
  const { lines, code } = await runInCi(`${passing} test('needs a browser', (context) => context.skip('none here'));`);
  expect(lines).toContainEqual(expect.stringMatching(/^failed: in CI no test may be skipped: .* > needs a browser$/));
  expect([lines.at(-1), code]).toEqual(['1 passed, 1 failed, 1 skipped', 1]);
});

test('a file that fails runs again in a new process, and the run names what passed then', async () => {
  const tests = `
    import { existsSync, writeFileSync } from 'node:fs';
    const mark = new URL('mark', import.meta.url);
    const isSecond = existsSync(mark);
    writeFileSync(mark, '');
    test('second', () => expect(isSecond).toBe(true));
    test('never', () => expect(1).toBe(2));
    test('always', () => undefined);`;
  const { lines, code } = await runInCi(tests);
  expect(lines.filter((text) => text.startsWith('passed on retry'))).toEqual([
    expect.stringMatching(/^passed on retry: .*some\.test\.js > second: expected false to be true/),
  ]);
  expect(lines.at(-2)).toMatch(/^failed: .*some\.test\.js > never: expected 1 to be 2/);
  expect([lines.at(-1), code]).toEqual(['2 passed, 1 failed', 1]);
});

test('a hook that throws once has no failed test, and its file passes when it runs again', async () => {
  const tests = `
    import { existsSync, writeFileSync } from 'node:fs';
    const mark = new URL('mark', import.meta.url);
    afterAll(() => {
      if (existsSync(mark)) return;
      writeFileSync(mark, '');
      throw new Error('the machine stalled');
    });
    ${passing}`;
  const { lines, code } = await runInCi(tests);
  expect(lines).toContainEqual(expect.stringMatching(/^passed on retry: .*some\.test\.js > the machine stalled$/));
  expect([lines.at(-1), code]).toEqual(['1 passed, 0 failed', 0]);
});

test('a run in which nothing ran has failed', async () => {
  const { lines, code } = await runInCi('');
  expect([lines.at(-1), code === 0]).toEqual([expect.stringMatching(/^0 passed, [1-9]\d* failed$/), false]);
});
