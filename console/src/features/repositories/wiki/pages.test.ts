import { expect, test } from 'vitest';
import { inTree, targetOf } from './pages.ts';

const page = (slug: string, parent = '') => ({ slug, parent });

test('pages stand below the one above them, and none is lost', () => {
  const pages = [page('overview'), page('glossary'), page('api', 'overview'), page('a', 'b'), page('b', 'a')];
  expect(inTree(pages).map(({ page: { slug }, depth }) => `${depth} ${slug}`)).toEqual([
    '0 overview',
    '1 api',
    '0 glossary',
    '0 a',
    '1 b',
  ]);
  expect(inTree([page('x', 'gone')])).toHaveLength(1);
});

test('a link leads to a line, to a page, or elsewhere', () => {
  expect(targetOf('src/a%20b.ts@0c1d2e#L12')).toEqual({ kind: 'line', path: 'src/a b.ts', commit: '0c1d2e', line: 12 });
  expect(targetOf('module-server')).toEqual({ kind: 'page', slug: 'module-server' });
  expect(targetOf('https://example.com/x@y#L1').kind).toBe('elsewhere');
  expect(targetOf('%E0@c#L1').kind).toBe('elsewhere');
});
