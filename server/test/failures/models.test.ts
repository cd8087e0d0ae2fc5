import { script, type Step } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { told } from '../support/failures.ts';
import { createModelFixture, type ModelFixture } from '../support/model-sessions.ts';
import type { TestEvent, TestSession } from '../support/sessions.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
  await fixture.startWorker({ slots: 3, modelIdleTimeoutMs: 1_000 });
});

afterAll(() => fixture.close());

type Fault = Exclude<NonNullable<Step['fault']>, unknown[]>;

async function runs(fault: Fault): Promise<{ session: TestSession; events: TestEvent[] }> {
  const repository = await fixture.repository({ answer: '41\n' });
  const prompt = script([{ run: 'echo 42 > answer' }, { run: 'cat answer', fault }, { say: 'It is 42 now.' }]);
  const session = await fixture.run({ repository, prompt, verify_command: 'grep -q 42 answer' });
  return { session, events: await fixture.events(session.id) };
}

const faults: [name: string, fault: Fault, words: string][] = [
  ['answers 429', { status: 429 }, 'answered 429 (rate limited)'],
  ['answers 500', { status: 500 }, 'answered 500 (internal error)'],
  ['answers nonsense', { nonsense: true }, 'gave an unreadable answer'],
  ['answers nothing', { empty: true }, 'gave an empty answer'],
  ['cuts its answer', { cut: 2 }, 'ended its answer early'],
  ['never answers', { hang: true }, 'answered 504 (gateway timeout)'],
];

describe('a model that', () => {
  test.concurrent.each(faults)('%s once is asked again, and the session goes on', async (_name, fault, words) => {
    const { session, events } = await runs(fault);
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', verification: 'fixed' });
    const warnings = told(events).filter((line) => line.startsWith('warning'));
    expect(warnings).toEqual([expect.stringContaining(`warning model_retry: The model ${words}. Trying again in `)]);
  });

  test.concurrent.each(faults)(
    '%s always ends the session, which names it and says so',
    async (_name, fault, words) => {
      const { session, events } = await runs({ ...fault, times: 100 });
      expect(session).toMatchObject({ status: 'failed', status_detail: 'model_error', error: { code: 'model_error' } });
      const [error, status] = told(events).slice(-2);
      expect(error).toMatch(/ All 6 attempts failed\.$/);
      expect(error).toContain(`error model_error: The model openai/scripted ${words}`);
      expect(status).toBe('failed model_error');
    },
  );
});
