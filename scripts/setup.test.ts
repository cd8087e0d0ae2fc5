import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Stands in for npm: notes its arguments, and installs the Node that runs it. */
const npm = `
const { appendFileSync, mkdirSync, symlinkSync } = require('node:fs');
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
mkdirSync('node_modules/.bin', { recursive: true });
symlinkSync(process.execPath, 'node_modules/.bin/node');
`;

test("the operator's commands install npm packages in a new checkout, and nothing else", () => {
  const checkout = mkdtempSync(join(tmpdir(), 'guildhall-checkout-'));
  onTestFinished(() => rmSync(checkout, { recursive: true }));
  mkdirSync(join(checkout, 'scripts'));
  for (const name of ['package.json', 'package-lock.json', 'scripts/setup.js'])
    copyFileSync(join(root, name), join(checkout, name));
  writeFileSync(join(checkout, 'npm.cjs'), npm);
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  const prepare = (): void => {
    const env = { ...process.env, npm_execpath: join(checkout, 'npm.cjs') };
    execFileSync('sh', ['-ec', scripts.preadmin], { cwd: checkout, env, stdio: 'pipe' });
  };
  prepare();
  const calls = readFileSync(join(checkout, 'calls'), 'utf8');
  expect(calls).toMatch(/^install --no-save [^\n]+\n$/);
  prepare();
  expect(readFileSync(join(checkout, 'calls'), 'utf8')).toBe(calls);
});
