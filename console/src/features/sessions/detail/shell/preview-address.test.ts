import { expect, test } from 'vitest';
import { previewAddress } from './preview-address.ts';

test.each([
  ['', '/'],
  ['/', '/'],
  ['docs?a=b#c', '/docs?a=b#c'],
  ['//evil.example/x', '/evil.example/x'],
  ['/../../../auth/sign-out', '/auth/sign-out'],
  ['/a/%2e%2e/%2e%2e/b', '/b'],
])('the path %j is %j at the server', (path, at) => {
  expect(previewAddress('acme', 'ses_1', 3000, path)).toBe(`/v3/organizations/acme/sessions/ses_1/preview/3000${at}`);
});
