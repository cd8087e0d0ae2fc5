import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';
import { startReviews } from './jobs.ts';

const org = '/v3/organizations/default';
const files = {
  'src/shop.js': 'exports.price = (item) => item.price;\n',
  'bin/run.sh': '#!/bin/sh\necho start\n',
  'old.js': 'const broken = ;\n',
  'REVIEW.md': 'Prices are integers.\n',
};
/** Breaks two languages, and touches a file that was broken before. */
const work = [
  `printf 'exports.price = (item) => item.price;\\nexports.sum = (items) => items.reduce((a, b) => a + b.price, 0;\\n' > src/shop.js`,
  `printf '#!/bin/sh\\necho start\\nif true; then echo "no end\\n' > bin/run.sh`,
  `printf '// moved\\nconst broken = ;\\n' > old.js`,
];

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  startReviews(fixture.api.ctx);
  await fixture.worker();
});
afterAll(() => fixture.close());

describe('a change request', () => {
  let repository: TestRepository;
  beforeAll(async () => {
    repository = await fixture.repository(files);
  });
  async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const { status, text, json } = await fixture.api.call(method, `${org}${path}`, body === undefined ? {} : { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return { ...json, httpStatus: status };
  }
  const items = async (path: string): Promise<Record<string, unknown>[]> => Object((await call('GET', path))['items']);
  async function ended(look: () => Promise<Record<string, unknown> | undefined>): Promise<Record<string, unknown>> {
    const isOver = (review: Record<string, unknown> | undefined): boolean =>
      review !== undefined && !['queued', 'running'].includes(String(review['status']));
    return fixture.until(async () => {
      const review = await look();
      return isOver(review) ? review : undefined;
    }, 'the review ends');
  }

  async function posted(review: Record<string, unknown>): Promise<void> {
    await fixture.until(async () => {
      const { posting, posting_problem: problem } = await call('GET', `/reviews/${String(review['id'])}`);
      if (posting === 'failed') throw new Error(String(problem));
      return posting === 'posted' || undefined;
    }, 'the review is posted');
  }

  test('is reviewed by linters when it is opened; findings live over pushes, and dismissals are final', async () => {
    await call('PUT', `/reviews/policies/${repository.id}`, {
      mode: 'once',
      own_changes: true,
      request_changes_from: 'high',
    });
    const secret = await call('POST', '/secrets', { key: 'DEPLOY_KEY', value: 'deploy-key-42' });
    const proposed = await fixture.run({
      repository,
      agent: { steps: work.map((run) => ({ run })), summary: 'Adds a sum.' },
    });
    const reviews = `/reviews?repository_id=${repository.id}`;
    const first = await ended(async () => (await items(reviews))[0]);
    expect(first).toMatchObject({ status: 'completed', verdict: 'request_changes', trigger: 'policy' });
    const session = await fixture.get(String(first['session_id']));
    expect(session).toMatchObject({ origin: 'review', status: 'completed', change_requests: [] });
    expect(session.prompt).toContain('Prices are integers.');
    await posted(first);
    const found = await items(`/reviews/${String(first['id'])}/findings`);
    // What the base says too is no news, although its line moved.
    expect(new Set(found.map(({ file }) => file))).toEqual(new Set(['bin/run.sh', 'src/shop.js']));
    const inShop = found.find(({ file }) => file === 'src/shop.js');
    expect(inShop).toMatchObject({ line: 2, severity: 'high', in_diff: true, status: 'open', reproduced: true });
    expect(inShop?.['evidence']).toContain('exit code 1 on the head, 0 on the base');
    expect(await fixture.get(String(first['proof_session_id']))).toMatchObject({ status: 'completed' });
    // Programs of the change run in a review, so only the session that proposed it got the secret.
    const uses = await items(`/secrets/${String(secret['id'])}/usage`);
    expect(new Set(uses.map(({ session_id }) => session_id))).toEqual(new Set([proposed.id]));

    const [change] = await fixture.changeRequests(repository);
    const place = `/repositories/${repository.id}/change-requests/${change?.number}`;
    const comments = await items(`${place}/comments`);
    expect(new Set(comments.map(({ file }) => file))).toEqual(new Set(['', 'bin/run.sh', 'src/shop.js']));
    const again = { repo: repository.repo, number: change?.number };
    expect(await call('POST', '/reviews', again)).toMatchObject({ id: first['id'], httpStatus: 200 });

    // ShellCheck says more than Bash, where it is installed.
    const inShell = found.filter(({ file }) => file === 'bin/run.sh');
    const finding = (row: Record<string, unknown> | undefined): string =>
      `/reviews/${String(first['id'])}/findings/${String(row?.['id'])}`;
    for (const row of inShell) await call('PATCH', finding(row), { status: 'dismissed', reason: 'Generated.' });

    const tree = await fixture.clone(repository, String(change?.head_ref));
    await writeFile(join(tree, 'src/shop.js'), 'exports.price = (item) => item.price;\nexports.none = () => 0;\n');
    await writeFile(join(tree, 'bin/run.sh'), '#!/bin/sh\n# one line more\necho start\nif true; then echo "no end\n');
    await fixture.git(tree, 'commit', '-q', '-am', 'Mend the sum');
    await fixture.git(tree, 'push', '-q', 'origin', 'HEAD');
    const url = `${fixture.api.url}${org}${place}`;
    const asked = await call('POST', '/reviews', { url });
    expect(asked).toMatchObject({ httpStatus: 202, trigger: 'request', status: 'queued' });
    const second = await ended(() => call('GET', `/reviews/${String(asked['id'])}`));
    expect(second).toMatchObject({ status: 'completed', verdict: 'comment', problem: '' });
    expect(await call('GET', finding(inShop))).toMatchObject({ status: 'resolved', reason: second['head_sha'] });
    const left = await items(`/reviews/${String(second['id'])}/findings`);
    expect(left.map(({ id, status, reason }) => [id, status, reason])).toEqual(
      inShell.map(({ id }) => [id, 'dismissed', 'Generated.']),
    );
    await posted(second);
    // The summary was rewritten, the thread of what is gone says so, and nothing was said twice.
    const after = await items(`${place}/comments`);
    expect(after).toHaveLength(comments.length + 1);
    expect(after[0]).toMatchObject({ in_reply_to: inShop?.['comment_id'] });
    expect(after[0]?.['body']).toContain(`No longer there in ${String(second['head_sha']).slice(0, 12)}.`);
    const threads = after.filter(({ in_reply_to: reply, file }) => reply === '' && file !== '');
    expect(threads.map(({ resolved }) => resolved)).toEqual(threads.map(() => true));
  });

  test('that nobody may review, or that is not there, is refused; a review is canceled and tried again', async () => {
    const unknown = await fixture.api.call('POST', `${org}/reviews`, { body: { repo: repository.repo, number: 99 } });
    expect(unknown).toMatchObject({ status: 404, json: { error: 'change_request_not_found' } });
    const elsewhere = { url: 'https://example.org/acme/shop/pull/1' };
    expect(await fixture.api.call('POST', `${org}/reviews`, { body: elsewhere })).toMatchObject({ status: 400 });
    const [change] = await fixture.changeRequests(repository);
    const number = change?.number;
    const tree = await fixture.clone(repository, String(change?.head_ref));
    await fixture.git(tree, 'commit', '-q', '--allow-empty', '-m', 'Nothing');
    await fixture.git(tree, 'push', '-q', 'origin', 'HEAD');
    const paused = await fixture.pauseWorkers();
    const asked = await call('POST', '/reviews', { repo: repository.repo, number });
    const path = `/reviews/${String(asked['id'])}`;
    const working = await fixture.until(async () => {
      const review = await call('GET', path);
      return review['session_id'] === '' ? undefined : review;
    }, 'the review has a session');
    expect(await call('POST', `${path}/cancel`, {})).toMatchObject({ status: 'canceled' });
    await fixture.reaches(String(working['session_id']), 'canceled');
    await paused.resume();
    expect(await call('POST', `${path}/retry`, {})).toMatchObject({ status: 'queued', session_id: '' });
    expect(await ended(() => call('GET', path))).toMatchObject({ status: 'completed' });
    expect(await fixture.api.call('POST', `${org}${path}/retry`, { body: {} })).toMatchObject({ status: 409 });
  });

  test('fails with the reason if its reviewer reports nothing', async () => {
    const runtime_config = { steps: [{ run: 'true' }], summary: 'Looks good.' };
    const agent = await fixture.api.call('POST', '/agents', {
      body: { name: 'silent', runtime: 'script', runtime_config },
    });
    await call('PUT', `/reviews/policies/${repository.id}`, { agent_id: agent.json['id'] });
    const [change] = await fixture.changeRequests(repository);
    const tree = await fixture.clone(repository, String(change?.head_ref));
    await fixture.git(tree, 'commit', '-q', '--allow-empty', '-m', 'Nothing more');
    await fixture.git(tree, 'push', '-q', 'origin', 'HEAD');
    const asked = await call('POST', '/reviews', { repo: repository.repo, number: change?.number });
    const review = await ended(() => call('GET', `/reviews/${String(asked['id'])}`));
    expect(review).toMatchObject({ status: 'failed', verdict: '', agent_id: agent.json['id'] });
    expect(review['problem']).toContain('structured_output_schema');
  });
});
