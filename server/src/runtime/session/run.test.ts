import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture } from '../../../test/support/sessions.ts';

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
  await fixture.startWorker();
});

afterAll(async () => {
  await fixture.close();
});

const broken = { 'check.sh': 'test "$(cat answer)" = 42\n', answer: '41\n' };
const fix = { steps: [{ run: 'echo 42 > answer; echo done' }], summary: 'The answer is 42 now.' };

describe('a session', () => {
  test('that fixes what the check reproduces is delivered as fixed, with the evidence of both runs', async () => {
    const repository = await fixture.repository(broken);
    const session = await fixture.run({ repository, agent: fix, verify_command: 'sh check.sh' });
    expect(session).toMatchObject({
      status: 'completed',
      status_detail: 'finished',
      verification: 'fixed',
      error: null,
    });
    expect(session.phases.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'reproduce passed',
      'implement passed',
      'verify passed',
      'deliver passed',
    ]);
  });
});
