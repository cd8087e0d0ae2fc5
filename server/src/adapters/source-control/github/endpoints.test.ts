import { expect, test } from 'vitest';
import { endpointsOf } from './endpoints.ts';

test.each([
  ['https://github.com', 'https://api.github.com', 'https://api.github.com/graphql'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com', 'https://api.acme.ghe.com/graphql'],
  ['https://git.example.org:8443', 'https://git.example.org:8443/api/v3', 'https://git.example.org:8443/api/graphql'],
  [
    'https://github.com.example.org',
    'https://github.com.example.org/api/v3',
    'https://github.com.example.org/api/graphql',
  ],
])('the APIs of %s', (url, rest, graphql) => {
  expect(endpointsOf(url)).toEqual({ rest, graphql });
});
