import { expect, test } from 'vitest';
import { linesOf, mapOf, secretsOf, textOf } from './lines.ts';

test('lines become a map and come back', () => {
  const headers = { Authorization: 'Bearer ${TOKEN}', 'x-url': 'https://a.example.com:8080' };
  expect(mapOf('Authorization: Bearer ${TOKEN}\n\n x-url:https://a.example.com:8080 ', ':')).toEqual(headers);
  expect(mapOf(textOf(headers, ':'), ':')).toEqual(headers);
  expect(mapOf('LOG=a=b\nBROKEN', '=')).toEqual({ LOG: 'a=b', BROKEN: '' });
  expect(linesOf(' a \n\nb')).toEqual(['a', 'b']);
});

test('a server needs the secrets that its placeholders name', () => {
  const server = { env: { A: '${ONE} ${TWO}', B: '$PLAIN ${1}' }, headers: {}, secret_names: ['TWO', 'OLD'] };
  expect(secretsOf(server)).toEqual([
    { name: 'OLD', isUsed: false, isSet: true },
    { name: 'ONE', isUsed: true, isSet: false },
    { name: 'TWO', isUsed: true, isSet: true },
  ]);
});
