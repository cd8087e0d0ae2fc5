import { expect, test } from 'vitest';
import { addressOf, byFile, partsOf } from './results.ts';

const at = (path: string, line: number) => ({ path, line, text: 'x', symbol: null });

test('results of a file stand together, in the order in which they came', () => {
  const files = byFile([at('b.ts', 4), at('a.ts', 1), at('b.ts', 9)]);
  expect(files.map(({ path, lines }) => [path, lines.map(({ line }) => line)])).toEqual([
    ['b.ts', [4, 9]],
    ['a.ts', [1]],
  ]);
});

test('a line has an address at its git host', () => {
  const to = (provider: 'github' | 'gitlab' | 'pagure' | 'local', url: string, line: number) =>
    addressOf({ provider, clone_url: url }, 'c0ffee', { path: 'src/a b#.ts', line });
  const file = 'src/a%20b%23.ts';
  expect(to('github', 'https://github.com/acme/app.git', 4)).toBe(`https://github.com/acme/app/blob/c0ffee/${file}#L4`);
  expect(to('gitlab', 'https://gitlab.com/acme/app.git', 0)).toBe(`https://gitlab.com/acme/app/-/blob/c0ffee/${file}`);
  expect(to('pagure', 'https://pagure.io/acme/app.git', 4)).toBe(`https://pagure.io/acme/app/blob/c0ffee/f/${file}#_4`);
  expect(to('local', 'https://git.example.com/acme/app.git', 4)).toBeUndefined();
  expect(to('github', '', 4)).toBeUndefined();
});

test('what was searched is marked as it was searched', () => {
  expect(partsOf('const Total = total(a)', 'total')).toEqual(['const ', 'Total', ' = ', 'total', '(a)']);
  expect(partsOf('const Total = total(a)', 'Total')).toEqual(['const ', 'Total', ' = total(a)']);
  expect(partsOf('a.*b a.b', 'a.*b')).toEqual(['', 'a.*b', ' a.b']);
});
