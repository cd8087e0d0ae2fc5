import { expect, test } from 'vitest';
import { destinationOf } from './destination.ts';

test.each([
  ['/console/default/sessions?q=x#e4', '/console/default/sessions?q=x#e4'],
  ['/docs', '/docs'],
  [undefined, '/console/'],
  ['//evil.example/x', '/console/'],
  ['/.//evil.example/x', '/console/'],
  ['/\\evil.example', '/console/'],
  ['https://evil.example', '/console/'],
  ['javascript:alert(1)', '/console/'],
  ['data:text/html,x', '/console/'],
])('%j leads to %j', (wanted, expected) => {
  expect(destinationOf(wanted, 'https://guildhall.example')).toBe(expected);
});
