import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';

let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await createModelFixture();
});

afterAll(() => fixture.close());

const path = (id: string, rest = '') => `/v3/organizations/default/sessions/${id}${rest}`;
const fork = (id: string, body: object) => fixture.api.call('POST', path(id, '/fork'), { body });
const say = (id: string, content: string) => fixture.api.call('POST', path(id, '/messages'), { body: { content } });
const filesOf = async (id: string) =>
  Object((await fixture.api.call('GET', path(id, '/diff'))).json['files'])
    .map((file: { path: string }) => file.path)
    .toSorted();
/** Returns what the agent's model was last asked. */
const lastRequest = () => JSON.stringify(fixture.model.requests.at(-1)?.body);

/** Runs a session that writes `one`, then, in another turn, `two`. */
async function twoTurns() {
  await fixture.worker();
  const repository = await fixture.repository({ answer: '41\n' });
  const prompt = script([{ write: { path: 'one', content: '1\n' } }, { say: 'The first is written.' }]);
  const { id } = await fixture.run({ repository, prompt, title: 'Two files' });
  const { last_seq: seq } = (await fixture.api.call('GET', path(id))).json;
  await say(id, script([{ write: { path: 'two', content: '2\n' } }, { say: 'The second is written.' }]));
  await fixture.event(id, ({ kind, turn, data }) => kind === 'status' && turn === 2 && data['status'] === 'completed');
  return { id, repository, seq: Number(seq) };
}

describe('a fork', () => {
  test('from the newest checkpoint has the work and the conversation, and delivers on a branch of its own', async () => {
    const { id, repository } = await twoTurns();
    const forked = await fork(id, {});
    expect([forked.status, forked.json]).toEqual([
      201,
      expect.objectContaining({ status: 'waiting', forked_from: id, title: 'Two files', change_requests: [] }),
    ]);
    const own = String(forked.json['id']);
    expect(await filesOf(own)).toEqual(['one', 'two']);
    await say(own, script([{ write: { path: 'three', content: '3\n' } }, { say: 'The third is written.' }]));
    expect(await fixture.reaches(own, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(lastRequest()).toContain('The second is written.');
    expect(await filesOf(own)).toEqual(['one', 'three', 'two']);
    expect(await filesOf(id)).toEqual(['one', 'two']);
    const requests = await fixture.changeRequests(repository);
    expect(new Set(requests.map(({ head_ref: branch }) => branch)).size).toBe(2);
  });

  test('from an earlier event has the files of that time, and is told what was said until then', async () => {
    const { id, seq } = await twoTurns();
    const prompt = script([{ read: 'one' }, { write: { path: 'other', content: '2\n' } }, { say: 'Another way.' }]);
    const forked = await fork(id, { seq, prompt });
    expect([forked.status, forked.json['message'] ?? forked.json['status']]).toEqual([201, 'queued']);
    const own = String(forked.json['id']);
    expect(await fixture.reaches(own, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(await filesOf(own)).toEqual(['one', 'other']);
    expect(lastRequest()).toContain('The first is written.');
    expect(lastRequest()).not.toContain('The second is written.');
  });

  test('masks the secrets of the session alone, which it does not get, and does not push them', async () => {
    await fixture.worker();
    const repository = await fixture.repository({ answer: '41\n' });
    const value = 'canary-fork-0123456789';
    const prompt = script([{ run: 'echo "$TOKEN" > token.txt' }, { say: 'Written.' }]);
    const session_secrets = [{ key: 'TOKEN', value }];
    const { id } = await fixture.run({ repository, prompt, session_secrets });
    await fixture.api.call('POST', path(id, '/cancel'));
    const forked = await fork(id, { prompt: script([{ run: 'cat token.txt; echo "<$TOKEN>"' }, { say: 'Read.' }]) });
    const own = String(forked.json['id']);
    const end = await fixture.reaches(own, 'completed', 'failed');
    expect(end).toMatchObject({ status: 'failed', error: { code: 'secret_in_changes' } });
    const diff = await fixture.api.call('GET', path(own, '/diff'));
    expect(diff.text).toContain('+********');
    const events = await fixture.api.call('GET', path(own, '/events?first=200'));
    expect(events.text).toContain('<>');
    for (const { text } of [diff, events]) expect(text).not.toContain(value);
    expect((await fixture.api.call('GET', path(own, '/context'))).text).not.toContain('TOKEN');
  });

  test('outlives the session that it was forked from, and can be forked itself', async () => {
    const { id } = await twoTurns();
    const { json: first } = await fork(id, {});
    const { json: second } = await fork(String(first['id']), {});
    for (const gone of [id, first['id']])
      expect((await fixture.api.call('DELETE', path(String(gone), '?force=true'))).status).toBe(204);
    const own = String(second['id']);
    await say(own, script([{ run: 'cat one two' }, { say: 'Both are here.' }]));
    expect(await fixture.reaches(own, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect(await filesOf(own)).toEqual(['one', 'two']);
  });
});
