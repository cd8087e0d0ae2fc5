import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { temporaryDirectory } from '../../../test/support/server.ts';

const admin = new URL('../../admin.ts', import.meta.url).pathname;

/** Lays out a pull request as ReviewBench mounts it. */
function layOut(directory: string): Record<string, string> {
  const repository = join(directory, 'repo');
  mkdirSync(join(repository, 'src'), { recursive: true });
  mkdirSync(join(directory, 'pr'));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repository,
      encoding: 'utf8',
    }).trim();
  const commit = (content: string): string => {
    writeFileSync(join(repository, 'src/shop.js'), content);
    git('add', '-A');
    git('commit', '-q', '-m', 'x');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', 'main');
  const base = commit('exports.price = (item) => item.price;\n');
  const head = commit(
    'exports.price = (item) => item.price;\nexports.sum = (items) => items.reduce((a, b) => a + b, 0;\n',
  );
  const told = {
    repo: 'https://github.com/acme/shop',
    pr_number: 7,
    base,
    head,
    nwo: 'acme/shop',
    title: 'Sum',
    body: '',
  };
  writeFileSync(join(directory, 'pr/pr.json'), JSON.stringify(told));
  return {
    RB_REPO: repository,
    RB_PR_JSON: join(directory, 'pr/pr.json'),
    RB_OUT: join(directory, 'out/findings.json'),
    RB_NWO: 'acme/shop',
    RB_PR_NUMBER: '7',
    RB_BASE: base,
    RB_HEAD: head,
    RB_AGENT: 'guildhall-linters',
  };
}

test('a pull request of ReviewBench is reviewed, and its findings are written', async () => {
  const directory = temporaryDirectory();
  const database = await createTestDatabase();
  onTestFinished(async () => {
    directory.remove();
    await database.drop();
  });
  const environment = layOut(directory.path);
  const run = (more: Record<string, string>) =>
    execa({
      reject: false,
      timeout: 170_000,
      cwd: directory.path,
      env: { ...environment, DATABASE_URL: database.connectionString, ...more },
    })`${process.execPath} ${admin} review --reviewbench`;
  const bad = await run({ RB_HEAD: 'main' });
  expect([bad.exitCode, bad.stderr]).toEqual([1, 'RB_HEAD must be a full commit id.']);
  const { exitCode, stdout, stderr } = await run({});
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain('model=none (linters)');
  const { RB_BASE: base, RB_HEAD: head } = environment;
  expect(JSON.parse(readFileSync(join(directory.path, 'out/findings.json'), 'utf8'))).toEqual({
    pr: { repo: 'https://github.com/acme/shop', pr_number: 7, base, head },
    agent: 'guildhall-linters',
    findings: [
      {
        file: 'src/shop.js',
        start_line: 2,
        end_line: 2,
        message: expect.stringContaining('SyntaxError'),
        producer: 'guildhall-linters',
      },
    ],
  });
});
