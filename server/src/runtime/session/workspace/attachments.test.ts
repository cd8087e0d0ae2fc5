import { createHash, randomBytes } from 'node:crypto';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
});
beforeEach(() => fixture.worker());
afterAll(() => fixture.close());

const organization = '/v3/organizations/default';

async function attach(name: string, content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  const headers = { authorization: `Bearer ${fixture.api.adminKey}` };
  const response = await fetch(`${fixture.api.url}${organization}/attachments`, {
    method: 'POST',
    headers,
    body: form,
  });
  const answer: unknown = await response.json();
  return String(Object(answer).id);
}

function messages(id: string) {
  return fixture.api.call('GET', `${organization}/sessions/${id}/messages`);
}

/** Returns the model's last request. */
function told(): string {
  return JSON.stringify(fixture.model.requests.at(-1)?.body);
}

async function outputOf(id: string): Promise<string> {
  const events = await fixture.events(id);
  return events.map(({ kind, data }) => (kind === 'output' ? String(data['text']) : '')).join('');
}

describe('what people attach', () => {
  test('lies in the sandbox before the agent reads of it, whole, and is named to the model', async () => {
    const large = randomBytes(9_500_000);
    const digest = createHash('sha256').update(large).digest('hex');
    const ids = [
      await attach('spec of ü.txt', 'The answer is 42.\n'),
      await attach('large.bin', large),
      await attach('spec of ü.txt', 'Another of the name.\n'),
    ];
    const prompt = script([
      { run: 'cat ~/attachments/spec-of-ü.txt; sha256sum ~/attachments/*.bin' },
      { say: 'Read.' },
    ]);
    const session = await fixture.run({ prompt, attachment_ids: ids });
    expect(session).toMatchObject({ status: 'completed' });
    expect(await outputOf(session.id)).toContain('The answer is 42.');
    expect(await outputOf(session.id)).toContain(digest);
    expect(told()).toMatch(
      /Attached files:\\n- ~\/attachments\/spec-of-ü\.txt \(text\/plain; charset=utf-8, 18 bytes\)/,
    );
    expect(told()).toMatch(/- ~\/attachments\/\w{6}-spec-of-ü\.txt /);
    expect(await outputOf(session.id)).not.toContain('Another of the name.');
    expect((await messages(session.id)).json).toMatchObject({ items: [{ attachment_ids: ids }] });
  });

  test('to a message reaches the sandbox that is at hand', async () => {
    const first = await fixture.run({ prompt: script([{ say: 'Ready.' }]) });
    const id = await attach('more.txt', 'Later words.');
    const body = { content: script([{ run: 'cat ~/attachments/*' }, { say: 'Seen.' }]), attachment_ids: [id] };
    const said = await fixture.api.call('POST', `${organization}/sessions/${first.id}/messages`, { body });
    expect([said.status, said.json['attachment_ids']]).toEqual([202, [id]]);
    await fixture.event(
      first.id,
      ({ turn, kind, data }) => turn === 2 && kind === 'status' && data['status'] === 'completed',
    );
    expect(await outputOf(first.id)).toContain('Later words.');
  });

  test('to a message that the feedback of a failed check takes along is there with it', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    const steps = [{ run: 'echo here; echo 43 > answer; sleep 1' }, { say: 'Tried.' }];
    const session = await fixture.create({ repository, prompt: script(steps), verify_command: 'grep -q 42 answer' });
    await fixture.event(session.id, ({ kind, data }) => kind === 'output' && String(data['text']).includes('here'));
    const id = await attach('hint.txt', 'It is 42.');
    const content = script([{ run: 'cat ~/attachments/*; echo 42 > answer' }, { say: 'Fixed.' }]);
    const body = { content, attachment_ids: [id], delivery: 'queue' };
    await fixture.api.call('POST', `${organization}/sessions/${session.id}/messages`, { body });
    await fixture.reaches(session.id, 'completed');
    expect(await outputOf(session.id)).toContain('It is 42.');
  });

  test('and delete again is told to be gone, and the session goes on', async () => {
    const id = await attach('gone.txt', 'x');
    await fixture.stopWorkers();
    const session = await fixture.create({ prompt: script([{ say: 'Done.' }]), attachment_ids: [id] });
    await fixture.api.call('DELETE', `${organization}/attachments/${id}`);
    await fixture.startWorker();
    expect(await fixture.reaches(session.id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    const warnings = (await fixture.events(session.id)).filter(({ kind }) => kind === 'warning');
    expect(warnings.map(({ data }) => data)).toEqual([
      { code: 'attachment_missing', message: `The attachment ${id} was deleted.` },
    ]);
  });
});
