import { expect, test } from 'vitest';
import { readKept } from './kept.ts';

test('what was kept is read again, and nothing else', () => {
  const kept = [{ prompt: 'Add a column', repo: 'acme/shop' }];
  expect(readKept(JSON.stringify(kept))).toEqual(kept);
  for (const stored of [undefined, '', '{}', 'null', '[1,null,{"prompt":1,"repo":""}]'])
    expect(readKept(stored)).toEqual([]);
  expect(readKept(JSON.stringify(Array.from({ length: 50 }, () => kept[0])))).toHaveLength(10);
});
