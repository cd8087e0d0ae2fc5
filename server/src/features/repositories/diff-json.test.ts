import { array, assert, asyncProperty, boolean, constantFrom, nat, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { diffJson, parseDiff } from './diff-json.ts';

const text = string({ unit: 'binary' });
const file = record({
  path: text,
  old_path: text,
  status: constantFrom('added', 'modified', 'deleted', 'renamed'),
  binary: boolean(),
  additions: nat(),
  deletions: nat(),
  patch: text.map((line) => `${line}\n`.repeat(500)),
});
const diff = record({ base_commit: text, head_commit: text, additions: nat(), deletions: nat(), files: array(file) });

test('a diff is written as JSON and read unchanged, also on one line', async () => {
  await assert(
    asyncProperty(diff, async (whole) => {
      const json = Buffer.concat(await diffJson(whole).toArray());
      expect(JSON.parse(json.toString())).toEqual(whole);
      expect(await parseDiff(json)).toEqual(whole);
      expect(await parseDiff(Buffer.from(JSON.stringify(whole)))).toEqual(whole);
    }),
  );
});

test('what was cut is no diff, wherever it was', async () => {
  const files = [1, 2].map((at) => {
    const name = `${at}`;
    return {
      path: name,
      old_path: '',
      status: 'added',
      binary: false,
      additions: 1,
      deletions: 0,
      patch: 'x',
    } as const;
  });
  const whole = { base_commit: 'a', head_commit: 'b', additions: 2, deletions: 0, files };
  const json = Buffer.concat(await diffJson(whole).toArray());
  for (let length = 0; length < json.length; length += 1)
    await expect(parseDiff(json.subarray(0, length)), `${length}`).rejects.toThrow('invalid');
});
