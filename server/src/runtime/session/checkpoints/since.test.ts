import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';

const organization = '/v3/organizations/default';
const value = 'the-value-that-nobody-reads-0451';
const late = 'a-word-that-becomes-a-secret-77';
const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await createModelFixture();
  await fixture.worker();
});
afterAll(() => fixture.close());

const path = (id: string, rest: string) => `${organization}/sessions/${id}${rest}`;
const get = (id: string, rest: string) => fixture.api.call('GET', path(id, rest));

async function nextTurn(id: string, turn: number, run: string): Promise<void> {
  const content = script([{ run }, { say: 'Done.' }]);
  await fixture.api.call('POST', path(id, '/messages'), { body: { content } });
  await fixture.event(
    id,
    (event) =>
      event.turn === turn && event.kind === 'status' && ['completed', 'failed'].includes(String(event.data['status'])),
  );
}

interface Listed {
  id: string;
  turn: number;
}

/** Returns the checkpoints, newest first. */
async function checkpointsOf(id: string): Promise<Listed[]> {
  return Object((await get(id, '/checkpoints?first=200')).json['items']);
}

const lastOf = (list: readonly Listed[], turn: number): string => list.find((one) => one.turn === turn)?.id ?? '';

async function twoTurns() {
  const base = { 'answer.txt': '41\n', 'moved.txt': lines, 'undone.txt': 'one\n', 'gone.txt': 'x\n' };
  const repository = await fixture.repository(base);
  const first = `echo 42 > answer.txt; echo two > undone.txt; echo ${late} > fresh.txt; echo "$TOKEN" > token.txt; mkdir $TOKEN; echo 1 > $TOKEN/in`;
  const session = await fixture.run({
    repository,
    prompt: script([{ run: first }, { say: 'Done.' }]),
    session_secrets: [{ key: 'TOKEN', value }],
    deliver: 'none',
  });
  const second = `echo 43 > answer.txt; echo one > undone.txt; mv moved.txt renamed.txt; rm gone.txt; echo "again $TOKEN" >> token.txt; echo 2 > $TOKEN/in; head -c 5000000 /dev/zero | tr '\\0' a > large.txt`;
  await nextTurn(session.id, 2, second);
  return session.id;
}

test('the changes since a checkpoint are those to the newest one, also of what is as it was, masked, without a sandbox', async () => {
  const id = await twoTurns();
  await fixture.stopWorkers();
  const list = await checkpointsOf(id);
  const from = lastOf(list, 1);
  const { status, json, text } = await get(id, `/diff?from=${from}`);
  expect(status).toBe(200);
  expect(json).toMatchObject({
    additions: 4,
    deletions: 4,
    files: [
      { path: '********/in', status: 'modified', additions: 1, deletions: 1 },
      { path: 'answer.txt', status: 'modified', patch: expect.stringContaining('-42\n+43\n') },
      { path: 'gone.txt', status: 'deleted', additions: 0, deletions: 1 },
      { path: 'large.txt', status: 'added', binary: true, patch: '' },
      { path: 'renamed.txt', old_path: 'moved.txt', status: 'renamed', additions: 0, deletions: 0 },
      { path: 'token.txt', status: 'modified', patch: expect.stringContaining(' ********\n+again ********\n') },
      { path: 'undone.txt', status: 'modified', patch: expect.stringContaining('-two\n+one\n') },
    ],
  });
  expect(text).not.toContain(value);
  expect((await get(id, '/diff')).json['files']).not.toContainEqual(expect.objectContaining({ path: 'undone.txt' }));
  const [newest] = list;
  const since = (await get(id, `/diff?from=${newest?.id}`)).json;
  expect(since).toMatchObject({ files: [], base_commit: json['head_commit'], head_commit: json['head_commit'] });

  const one = await get(id, `/diff?from=${from}&path=moved.txt&summary=true`);
  expect(one.json).toMatchObject({ additions: 4, files: [{ path: 'renamed.txt', patch: '' }] });
  const tag = one.headers.get('etag') ?? '';
  const headers = { 'if-none-match': tag };
  expect(
    (await fixture.api.call('GET', path(id, `/diff?from=${from}&path=moved.txt&summary=true`), { headers })).status,
  ).toBe(304);
  expect((await fixture.api.call('GET', path(id, '/diff?path=moved.txt&summary=true'), { headers })).status).toBe(200);

  const fork = (await fixture.api.call('POST', path(id, '/fork'), { body: {} })).json;
  const [start] = await checkpointsOf(String(fork['id']));
  expect((await get(String(fork['id']), `/diff?from=${start?.id}`)).json['files']).toEqual([]);
  const other = await get(String(fork['id']), `/diff?from=${from}`);
  expect([other.status, other.json['error']]).toEqual([404, 'checkpoint_not_found']);
});

test('a state with what became a secret later is no longer kept', async () => {
  await fixture.worker();
  const id = await twoTurns();
  const from = lastOf(await checkpointsOf(id), 1);
  expect((await get(id, `/diff?from=${from}`)).text).not.toContain(late);
  await fixture.api.call('POST', `${organization}/secrets`, { body: { key: 'LATE', value: late } });
  await nextTurn(id, 3, 'rm fresh.txt');
  const gone = await get(id, `/diff?from=${from}`);
  expect([gone.status, gone.json['error']]).toEqual([409, 'conflict']);
  const third = lastOf(await checkpointsOf(id), 3);
  await nextTurn(id, 4, 'echo 44 > answer.txt');
  expect((await get(id, `/diff?from=${third}`)).json['files']).toMatchObject([{ path: 'answer.txt' }]);
  const kept = await get(id, `/diff?from=${lastOf(await checkpointsOf(id), 2)}`);
  expect([kept.status, kept.text.includes(late)]).toEqual([409, false]);
});
