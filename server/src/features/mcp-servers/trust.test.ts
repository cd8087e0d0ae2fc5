import { script } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Peer } from '../../../test/support/gateway.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { createModelFixture, type ModelFixture } from '../../../test/support/model-sessions.ts';
import { listed, says, startToolServer } from '../../../test/support/tool-servers.ts';

const servers = '/v3/organizations/default/mcp-servers';
const token = 'tok-of-a-tool-server-77a0';

let fixture: ModelFixture;
let member: string;
const peers: Peer[] = [];
beforeAll(async () => {
  fixture = await createModelFixture({ GUILDHALL_EGRESS_ALLOW: 'mcp=127.0.0.0/8' });
  await fixture.startWorker();
  const orgId = String((await fixture.api.call('GET', '/v3/organizations/default')).json['id']);
  member = await personalKey(fixture.api, orgId, await join(fixture.api, orgId, 'member'));
});
afterAll(() => fixture.close());
afterEach(async () => {
  const { json } = await fixture.api.call('GET', `${servers}?first=200`);
  for (const { id } of Object(json).items) await fixture.api.call('DELETE', `${servers}/${id}`);
  await Promise.all(peers.splice(0).map((one) => one.close()));
});

async function peer(): Promise<Peer> {
  const look = listed('look', { annotations: { readOnlyHint: true } });
  const started = await startToolServer(({ method }) => (method === 'tools/list' ? { tools: [look] } : says('seen')));
  peers.push(started);
  return started;
}

async function add(body: object, secrets: Record<string, string> = {}, key = member): Promise<string> {
  const answer = await fixture.api.call('POST', servers, { key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  const id = String(answer.json['id']);
  for (const [name, value] of Object.entries(secrets)) await setSecret(id, name, value);
  return id;
}

function setSecret(id: string, name: string, value: string) {
  return fixture.api.call('PUT', `${servers}/${id}/secrets/${name}`, { key: member, body: { value } });
}

async function change(id: string, body: object, key = member): Promise<void> {
  const { status, text } = await fixture.api.call('PATCH', `${servers}/${id}`, { key, body });
  if (status !== 200) throw new Error(text);
}

/** Returns the problem of a connection; `''` if it works. */
async function problemOf(id: string): Promise<unknown> {
  return (await fixture.api.call('POST', `${servers}/${id}/test`)).json['problem'];
}

const got = ({ requests }: Peer): unknown[] => requests.map(({ headers }) => headers['x-api-key']);

test('a secret goes to the address alone that it was set for, whoever changed the server since', async () => {
  const [ours, theirs] = [await peer(), await peer()];
  const id = await add({ name: 'Ours', url: `${ours.url}/mcp`, headers: { 'x-api-key': '${KEY}' } }, { KEY: token });
  expect(await problemOf(id)).toBe('');
  expect(got(ours)).toContain(token);
  for (const url of [`${theirs.url}/mcp`, `${ours.url}/other`]) {
    const before = ours.requests.length;
    await change(id, { url });
    expect(await problemOf(id)).toMatch(/secret KEY was set before its URL.*Set it again\./);
    expect([ours.requests.length - before, got(theirs)]).toEqual([0, []]);
  }
  const session = await fixture.run({ prompt: script([{ say: 'Done.' }]), repositories: [] });
  const context = await fixture.api.call('GET', `/v3/organizations/default/sessions/${session.id}/context`);
  expect(context.json['mcp_servers']).toMatchObject([{ problem: expect.stringContaining('Set it again') }]);
  await change(id, { url: `${ours.url}/mcp` });
  expect(await problemOf(id)).toBe('');
  await change(id, { url: `${theirs.url}/mcp` });
  await setSecret(id, 'KEY', 'another-value');
  expect(await problemOf(id)).toBe('');
  expect(new Set(got(theirs))).toEqual(new Set(['another-value']));
});

test.each([
  ['command', { command: 'sh' }],
  ['arguments', { args: ['-c', 'echo no >&2; exit 4'] }],
  ['variables', { env: { IN: '${KEY}', BASE_URL: 'https://elsewhere.example' } }],
])('a secret goes to a command with the %s alone that it was set for', async (_name, changed) => {
  const args = ['-c', 'echo "$IN" | rev >&2; exit 3'];
  const id = await add({ name: 'Inside', command: 'bash', args, env: { IN: '${KEY}' } }, { KEY: token });
  expect(await problemOf(id)).toContain(Array.from(token).toReversed().join(''));
  await change(id, changed);
  expect(await problemOf(id)).toMatch(/secret KEY was set before/);
});

test('a tool only looks where an administrator answers for the server that says so', async () => {
  const id = await add({ name: 'One', url: (await peer()).url });
  const offered = async (): Promise<boolean> => {
    const from = fixture.model.requests.length;
    await fixture.run({ prompt: script([{ say: 'Done.' }]), repositories: [], mode: 'ask' });
    return JSON.stringify(fixture.model.requests.slice(from)).includes('one__look');
  };
  expect(await offered()).toBe(false);
  const { url } = (await fixture.api.call('GET', `${servers}/${id}`)).json;
  await change(id, { description: 'Ours.' }, fixture.api.adminKey);
  expect(await offered()).toBe(false);
  await change(id, { url }, fixture.api.adminKey);
  expect(await offered()).toBe(true);
  await change(id, { headers: { 'x-mode': 'all' } });
  expect(await offered()).toBe(false);
});
