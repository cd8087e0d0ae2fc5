import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';
import { startReviews } from './jobs.ts';

const org = '/v3/organizations/default';
const broken = `printf 'exports.sum = (a, b) => (a + b;\\n' > sum.js`;
const whole = `printf 'exports.sum = (a, b) => a + b;\\n' > sum.js`;

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  startReviews(fixture.api.ctx);
  await fixture.worker();
});
afterAll(() => fixture.close());

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const place = path.startsWith('/agents') ? path : `${org}${path}`;
  const { status, text, json } = await fixture.api.call(method, place, body === undefined ? {} : { body });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}

test('a finding is fixed by a session, whose change request goes into the branch of the change', async () => {
  const repository = await fixture.repository({ 'sum.js': 'exports.sum = (a, b) => b;\n' });
  await fixture.run({ repository, agent: { steps: [{ run: broken }], summary: 'Breaks the sum.' } });
  const [change] = await fixture.changeRequests(repository);
  const asked = await call('POST', '/reviews', { repo: repository.repo, number: change?.number });
  const review = `/reviews/${String(asked['id'])}`;
  await fixture.until(async () => {
    const { status, problem } = await call('GET', review);
    if (status === 'failed') throw new Error(String(problem));
    return status === 'completed' || undefined;
  }, 'the review completes');
  const found: Record<string, unknown>[] = Object((await call('GET', `${review}/findings`))['items']);
  expect(found).toMatchObject([{ file: 'sum.js', reproduced: true, status: 'open' }]);

  const config = { steps: [{ run: `${whole} && node --check sum.js` }], summary: 'Closes the bracket.' };
  const agent = await call('POST', '/agents', { name: 'Fixer', runtime: 'script', runtime_config: config });
  await call('PUT', '/settings/sessions', { default_agent: agent['id'] });
  const finding = `${review}/findings/${String(found[0]?.['id'])}`;
  const machine = await call('POST', '/service-users', { name: 'Reader of reviews' });
  const issued = await call('POST', `/service-users/${String(machine['id'])}/keys`, {
    name: 'reviews',
    scopes: ['reviews:read', 'reviews:write'],
  });
  const asMachine = { key: String(issued['key']), body: {} };
  const refused = await fixture.api.call('POST', `${org}${finding}/fix`, asMachine);
  expect(refused).toMatchObject({ status: 403, json: { error: 'forbidden' } });
  expect(refused.text).toContain('run');
  expect(await call('GET', finding)).toMatchObject({ fix_session_id: '' });
  const fixing = await call('POST', `${finding}/fix`, {});
  const session = await fixture.reaches(String(fixing['fix_session_id']), 'completed');
  expect(session.prompt).toContain('SyntaxError');
  const fix = (await fixture.changeRequests(repository)).find(({ number }) => number !== change?.number);
  expect(fix).toMatchObject({ base_ref: change?.head_ref, state: 'open' });
  const again = await fixture.api.call('POST', `${org}${finding}/fix`, { body: {} });
  expect(again).toMatchObject({ status: 409, json: { error: 'conflict' } });

  // Those that reproduced and fixed the finding are no reviews in the metrics.
  const completed = async () =>
    (
      await fixture.api.ctx.db.pool.query<{ session_id: string; origin: string }>(
        "select session_id, origin from measurements where metric = 'session.completed'",
      )
    ).rows;
  await expect.poll(completed, { timeout: 15_000 }).toHaveLength(4);
  const reviewers = (await completed()).filter(({ origin }) => origin === 'review');
  expect(reviewers.map(({ session_id: id }) => id)).toEqual([(await call('GET', review))['session_id']]);
});
