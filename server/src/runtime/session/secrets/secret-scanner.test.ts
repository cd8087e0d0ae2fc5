import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGitFixture, type GitFixture } from '../../../git/git-fixture.ts';
import { SecretScanner, describeFound } from './secret-scanner.ts';
import { RunSecrets } from './run-secrets.ts';

const token = 'tok-5f2e8c1b9a7d';
const key = `-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeK\n-----END PRIVATE KEY-----\n`;
const { signal } = new AbortController();

let git: GitFixture;
let work: string;
let base: string;

beforeAll(async () => {
  git = await createGitFixture();
  work = await git.work('work', { 'old.txt': `it was here: ${token}\n`, 'app.js': 'const one = 1;\n' });
  base = await git.client(work, 'rev-parse', 'HEAD');
});

afterAll(() => git.dispose());

function guardOf(): { guard: SecretScanner; secrets: RunSecrets } {
  const secrets = new RunSecrets();
  const traits = {
    id: 'sec_1',
    kind: 'env',
    exposure: 'sandbox',
    allowedHosts: [],
    version: 1,
    sandboxes: 'all',
    scope: 'organization',
    isOfOthers: false,
  } as const;
  secrets.setSecrets([
    { ...traits, key: 'TOKEN', value: token },
    { ...traits, key: 'KEY', value: key },
  ]);
  return { guard: new SecretScanner(secrets), secrets };
}

async function added(files: Record<string, string | Uint8Array>): Promise<string[]> {
  await git.client(work, 'checkout', '-q', base);
  const head = await git.commit(work, files);
  const found = await guardOf().guard.addedSecrets(`${work}/.git`, base, head, signal);
  return found.map(({ path, line, name }) => `${path}:${line} ${name}`);
}

test('a secret that a change adds is found by file and line, in any spelling, and in bytes', async () => {
  const files = {
    'app.js': `const one = 1;\nconst two = 2;\nconst t = "${token}";\n`,
    'deep/er/encoded': `x\n${Buffer.from(`user:${token}`).toString('base64')}\n`,
    'deep/key.pem': `# mine\n${key}`,
    'picture.bin': Buffer.concat([Buffer.from([0, 255, 0]), Buffer.from(token)]),
    'clean.txt': 'nothing\n-----BEGIN PRIVATE KEY-----\n',
  };
  expect(await added(files)).toEqual([
    'app.js:3 TOKEN',
    'deep/er/encoded:2 TOKEN',
    'deep/key.pem:3 KEY',
    'picture.bin:1 TOKEN',
  ]);
});

test('one in a file that is read in many pieces is found in its line, wherever a piece ends', async () => {
  await git.client(work, 'checkout', '-q', base);
  const filler = `${'x'.repeat(99)}\n`.repeat(2_000);
  // Git writes pieces of 4 or 64 KiB, and one ends within a value.
  const files = Object.fromEntries(
    [...Array(token.length + 30).keys()].map((at) => [
      `${at}.txt`,
      `${filler}${'y'.repeat(4 * 65_536 - filler.length - at)}${token}\n${filler}`,
    ]),
  );
  const found = await guardOf().guard.addedSecrets(`${work}/.git`, base, await git.commit(work, files), signal);
  expect(found).toHaveLength(token.length + 30);
  expect(new Set(found.map(({ line, name }) => `${line} ${name}`))).toEqual(new Set(['2001 TOKEN']));
});

test('what a file holds is never held whole', async () => {
  await git.client(work, 'checkout', '-q', base);
  const large = Buffer.alloc(48 * 1024 * 1024, 'a line of text\n');
  large.write(`${token}\n`, 30 * 1024 * 1024);
  const head = await git.commit(work, { 'large.txt': large, 'other.txt': Buffer.alloc(48 * 1024 * 1024, 'b\n') });
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  const found = await guardOf().guard.addedSecrets(`${work}/.git`, base, head, signal);
  clearInterval(watch);
  expect(found.map(({ name, line }) => `${name} ${line}`)).toEqual([`TOKEN ${(30 * 1024 * 1024) / 15 + 1}`]);
  expect(most).toBeLessThan(40 * 1024 * 1024);
});

test('one in the name of a file is found, and shown masked', async () => {
  expect(await added({ [`notes-${token}.md`]: 'x\n' })).toEqual(['notes-********.md:0 TOKEN']);
  expect(describeFound([{ path: 'notes-********.md', line: 0, name: 'TOKEN' }])).toBe(
    'the name of notes-********.md contains the value of the secret TOKEN.',
  );
});

test('very many files and long secrets take little of the processor', async () => {
  await git.client(work, 'checkout', '-q', base);
  const secrets = new RunSecrets();
  for (let at = 0; at < 8; at += 1)
    secrets.add(`KEY_${at}`, randomBytes(12_000).toString('base64').replaceAll(/.{40}/g, '$&\n'));
  secrets.add('TOKEN', token);
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f/${at}`, at % 2 === 0 ? `${at}` : token]));
  const head = await git.commit(work, files);
  const before = process.threadCpuUsage();
  const found = await new SecretScanner(secrets).addedSecrets(`${work}/.git`, base, head, signal);
  const { user } = process.threadCpuUsage(before);
  expect(found).toHaveLength(150);
  // To make a mask of each secret for each file takes 10 s.
  expect(user / 1e6).toBeLessThan(3);
});

test('what the base had at the same path already is not the change, but its bytes are packed nowhere', async () => {
  expect(await added({ 'old.txt': `it was here: ${token}\nmore\n` })).toEqual([]);
  const head = await git.client(work, 'rev-parse', 'HEAD');
  const { guard } = guardOf();
  expect(await guard.containsSecret(`${work}/.git`, base, head, signal)).toBe(true);
  expect(await guard.containsSecret(`${work}/.git`, base, base, signal)).toBe(false);
  expect(await added({ 'other.txt': `it is here: ${token}\n` })).toEqual(['other.txt:1 TOKEN']);
});

test('what was clean is looked at again when there is another secret', async () => {
  await git.client(work, 'checkout', '-q', base);
  const head = await git.commit(work, { 'app.js': 'const late = "a-later-secret";\n' });
  const { guard, secrets } = guardOf();
  expect(await guard.addedSecrets(`${work}/.git`, base, head, signal)).toEqual([]);
  const late = {
    id: 'sec_2',
    key: 'LATE',
    kind: 'env',
    exposure: 'sandbox',
    allowedHosts: [],
    version: 2,
    sandboxes: 'all',
    scope: 'organization',
    isOfOthers: false,
  } as const;
  secrets.setSecrets([{ ...late, value: 'a-later-secret' }]);
  expect(await guard.addedSecrets(`${work}/.git`, base, head, signal)).toEqual([
    { path: 'app.js', line: 1, name: 'LATE' },
  ]);
  expect(secrets.mask.text(token)).toBe('********');
});
