import { expect, test } from 'vitest';
import { quoted } from './push.ts';

test('what a shell would read otherwise is quoted', () => {
  expect(['main', 'https://git.example.com/a/b.git', 'feature/x-1'].map(quoted)).toEqual([
    'main',
    'https://git.example.com/a/b.git',
    'feature/x-1',
  ]);
  expect(['a;b', '$(x)', "it's", ''].map(quoted)).toEqual(["'a;b'", "'$(x)'", String.raw`'it'\''s'`, "''"]);
});
