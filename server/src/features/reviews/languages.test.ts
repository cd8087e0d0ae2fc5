import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';
import { startReviews } from './jobs.ts';
import { absence, configuration, installLinters, seededBugs, type SeededBug } from './languages-fixture.ts';

const org = '/v3/organizations/default';
const documented = readFileSync(new URL('../../../../docs/reviews.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.endsWith(' reproduced |'));
const seeds = seededBugs.filter((seed) => absence(seed) === '');

let fixture: RuntimeFixture;
let found: Record<string, unknown>[];
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  startReviews(fixture.api.ctx);
  await fixture.worker();
  const files = Object.fromEntries(seeds.map(({ file, before }) => [file, before]));
  const repository = await fixture.repository({ ...files, ...configuration, '.gitignore': '' });
  await pushLinters(repository);
  const steps = seeds.map(({ file, after }) => ({
    run: `printf %s ${Buffer.from(after).toString('base64')} | base64 -d > ${file}`,
  }));
  await fixture.run({ repository, agent: { steps, summary: 'A bug for each linter.' } });
  found = await review(repository);
}, 900_000);
afterAll(() => fixture.close());

async function pushLinters(repository: TestRepository): Promise<void> {
  const work = await fixture.clone(repository, 'main');
  await installLinters(work);
  await fixture.git(work, 'add', '--force', 'node_modules');
  await fixture.git(work, 'commit', '-qm', 'install linters');
  await fixture.git(work, 'push', '-q', 'origin', 'HEAD:main');
}

/** Reviews the change request of a repository, and returns all findings. */
async function review(repository: TestRepository): Promise<Record<string, unknown>[]> {
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
  return Object((await fixture.api.call('GET', `${path}/findings?first=200`)).json['items']);
}

describe('one review finds once, and reproduces, what the change brings and not what the base has', () => {
  for (const seed of seededBugs)
    test.skipIf(absence(seed) !== '')(nameOf(seed), () => {
      const { file, line } = seed;
      const inFile = found.filter((finding) => finding['file'] === file);
      const [finding = {}] = inFile;
      expect(inFile, JSON.stringify(inFile)).toHaveLength(1);
      expect(finding).toMatchObject({ line, reproduced: true });
      expect(finding['evidence']).toMatch(/exit code [1-9]\d* on the head, \d+ on the base$/);
      const row = `| ${seed.language} | ${seed.linter} | ${seed.bug} | line ${String(finding['line'])} | reproduced |`;
      process.stdout.write(`${row}\n`);
      expect(documented).toContain(row);
    });
});

function nameOf(seed: SeededBug): string {
  const name = `${seed.linter.replaceAll('`', '')} in ${seed.language}`;
  const why = absence(seed);
  return why === '' ? name : `${name} (optional: ${why})`;
}
