import { expect, test } from 'vitest';
import { protects } from './path-globs.ts';

test.each([
  ['infra/', 'infra/a/b.tf', true],
  ['infra', 'src/infra/a.tf', true],
  ['/infra', 'src/infra/a.tf', false],
  ['infra/**', 'infra/a/b.tf', true],
  ['*.pem', 'a/b.pem', true],
  ['.env', 'packages/a/.env', true],
  ['.env', 'packages/a/.env.example', false],
  ['**/secrets/*.yml', 'secrets/a.yml', true],
  ['**/secrets/*.yml', 'a/secrets/b.yml', true],
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'other/src/a.ts', false],
  ['src', 'srcs/a', false],
])('%j and %j: %j', (glob, path, expected) => expect(protects(glob, path)).toBe(expected));
