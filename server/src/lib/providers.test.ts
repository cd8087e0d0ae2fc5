import { expect, test } from 'vitest';
import { parseRepositoryName, prefixesText, providerPrefix } from './providers.ts';

test.each([
  ['acme/web', { repo: 'acme/web' }],
  ['github:acme/web', { provider: 'github', repo: 'acme/web' }],
  ['gitlab:acme/tools/web', { provider: 'gitlab', repo: 'acme/tools/web' }],
  ['pagure:fork/ada/web', { provider: 'pagure', repo: 'fork/ada/web' }],
  ['local:a:b', { provider: 'local', repo: 'a:b' }],
  ['bitbucket:acme/web', { repo: 'bitbucket:acme/web' }],
  ['GitHub:acme/web', { repo: 'GitHub:acme/web' }],
  ['local', { repo: 'local' }],
])('%s', (text, expected) => {
  expect(parseRepositoryName(text)).toEqual(expected);
});

test('the prefixes are told from any other word', () => {
  expect('gitlab:x').toMatch(new RegExp(`^${providerPrefix}x$`));
  expect('gitea:x').not.toMatch(new RegExp(`^${providerPrefix}x$`));
  expect(prefixesText('`')).toBe('`github:`, `gitlab:`, `pagure:` or `local:`');
});
