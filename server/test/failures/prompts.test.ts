import { createHash } from 'node:crypto';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printedBy, told } from '../support/failures.ts';
import { createModelFixture, type ModelFixture } from '../support/model-sessions.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
  await fixture.startWorker();
});

afterAll(() => fixture.close());

const sessions = '/v3/organizations/default/sessions';
/** The maximum prompt, in characters of four bytes each. */
const longest = '😀'.repeat(100_000);

describe('a prompt', () => {
  test.each([
    ['empty', '', 'prompt_required', 'body.prompt must have at least 1 character.'],
    ['blank', ' \n\t ', 'prompt_required', 'body.prompt must describe the task and must not be blank.'],
    ['a character too long', `${longest}x`, 'invalid_request', 'body.prompt must have at most 100000 characters.'],
  ])('that is %s is refused, which says what is wrong, and there is no session', async (_name, prompt, code, words) => {
    const { status, json } = await fixture.api.call('POST', sessions, { body: { prompt } });
    expect([status, json['error']]).toEqual([400, code]);
    expect(json['message']).toContain(words);
    expect((await fixture.api.call('GET', sessions)).json['items']).toEqual([]);
  });

  test('of the greatest length reaches a script whole, and names the session by its beginning', async () => {
    const agent = { steps: [{ run: 'sha256sum < $GUILDHALL_PROMPT_FILE; echo 42 > answer' }], summary: '' };
    const repository = await fixture.repository({ answer: '41\n' });
    const session = await fixture.run({ repository, prompt: longest, agent, deliver: 'draft' });
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', error: null });
    const events = await fixture.events(session.id);
    expect(printedBy(events)).toContain(createHash('sha256').update(longest).digest('hex'));
    expect(told(events).at(-1)).toBe('completed finished');
    const [request] = await fixture.changeRequests(repository);
    expect(request?.title).toMatch(/^(😀)+…$/u);
  });

  test('of the greatest length reaches a model whole', async () => {
    const block = script([{ say: 'I have read all of it.' }]);
    const prompt = `${'é'.repeat(100_000 - block.length - 1)}\n${block}`;
    const session = await fixture.run({ prompt });
    expect(session).toMatchObject({ status: 'completed', status_detail: 'finished', error: null });
    expect(JSON.stringify(fixture.model.requests.at(-1)?.body)).toContain('é'.repeat(100_000 - block.length - 1));
  });
});
