import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';
import { startReviews } from './jobs.ts';

const org = '/v3/organizations/default';

/** A change in each language that brings one bug, next to what was wrong before. */
const languages = [
  {
    language: 'JavaScript',
    program: process.execPath,
    file: 'js/total.js',
    before: 'exports.total = (items) => items.length;\n',
    after: 'exports.total = (items) => items.length;\nexports.sum = (items) => items.reduce((a, b) => a + b, 0;\n',
    line: 2,
  },
  {
    language: 'TypeScript',
    program: '/usr/bin/tsc',
    file: 'ts/total.ts',
    before: 'export const old: number = "wrong since ever";\nexport const total = (items: number[]) => items.length;\n',
    after:
      'export const old: number = "wrong since ever";\nexport const total = (items: number[]) => items.length;\nexport const first: string = total([1]);\n',
    line: 3,
  },
  {
    language: 'Python',
    program: '/usr/bin/pyflakes3',
    file: 'py/total.py',
    before: 'def total(items):\n    return len(items)\n',
    after: 'def total(items):\n    return len(items) + offset\n',
    line: 2,
  },
  {
    language: 'shell',
    program: '/usr/bin/shellcheck',
    file: 'sh/clean.sh',
    before: '#!/bin/sh\necho clean\n',
    after: '#!/bin/sh\necho clean\nrm -r $1/build\n',
    line: 3,
  },
  {
    language: 'Ruby',
    program: '/usr/bin/ruby',
    file: 'rb/total.rb',
    before: 'def total(items)\n  items.length\nend\n',
    after: 'def total(items)\n  items.length\nend\ndef first(items\n  items[0]\nend\n',
    line: undefined,
  },
  {
    language: 'PHP',
    program: '/usr/bin/php',
    file: 'php/total.php',
    before: '<?php\nfunction total($items) { return count($items); }\n',
    after: '<?php\nfunction total($items) { return count($items) }\n',
    line: 2,
  },
];

/** Those whose program is installed; Node always is. */
const seeds = languages.filter(({ program }) => existsSync(program));

let fixture: RuntimeFixture;
let found: Record<string, unknown>[];
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  startReviews(fixture.api.ctx);
  await fixture.worker();
  const config = '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2020"}, "include": ["ts"]}\n';
  const files = Object.fromEntries(seeds.map(({ file, before }) => [file, before]));
  const repository = await fixture.repository({ ...files, 'tsconfig.json': config });
  const steps = seeds.map(({ file, after }) => ({
    run: `printf %s ${Buffer.from(after).toString('base64')} | base64 -d > ${file}`,
  }));
  await fixture.run({ repository, agent: { steps, summary: 'A bug in each language.' } });
  const [change] = await fixture.changeRequests(repository);
  const asked = await fixture.api.call('POST', `${org}/reviews`, {
    body: { repo: repository.repo, number: change?.number },
  });
  const path = `${org}/reviews/${String(asked.json['id'])}`;
  // Each session has the patience of a test of its own.
  for (const field of ['session_id', 'proof_session_id']) {
    const session = await fixture.until(async () => {
      const { [field]: id, status, problem } = (await fixture.api.call('GET', path)).json;
      if (status === 'failed') throw new Error(String(problem));
      return id === '' ? undefined : String(id);
    }, `the review has its ${field}`);
    await fixture.reaches(session, 'completed');
  }
  await fixture.until(async () => {
    const { status } = (await fixture.api.call('GET', path)).json;
    return status === 'completed' || undefined;
  }, 'the review completes');
  found = Object((await fixture.api.call('GET', `${path}/findings?first=200`)).json['items']);
}, 600_000);
afterAll(() => fixture.close());

for (const { language, file, line } of seeds)
  test(`a bug in ${language} is found and reproduced`, () => {
    const inFile = found.filter((finding) => finding['file'] === file);
    const proved = inFile.filter(({ reproduced }) => reproduced === true);
    expect(proved.length, JSON.stringify(inFile)).toBeGreaterThan(0);
    if (line !== undefined) expect(inFile.map((finding) => finding['line'])).toContain(line);
    for (const { evidence } of proved) expect(evidence).toMatch(/exit code [1-9]\d* on the head, \d+ on the base$/);
    process.stdout.write(
      `${language}: ${inFile.map(({ title, line: at }) => `${String(at)}: ${String(title)}`).join('; ')}\n`,
    );
  });

test('what was wrong before is not reported', () => {
  expect(found.filter(({ title }) => String(title).includes('wrong since ever'))).toEqual([]);
  expect(found.filter((finding) => finding['file'] === 'ts/total.ts').map((finding) => finding['line'])).not.toContain(
    1,
  );
});
