import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  prepareData,
  pushProject,
  startServerProcess,
  temporaryDirectory,
  until,
  type ServerProcess,
} from '../support/server.ts';

const sessions = '/v3/organizations/default/sessions';
const data = temporaryDirectory();
let server: ServerProcess;

beforeAll(async () => {
  prepareData(data.path);
  server = await startServerProcess(data.path);
  await pushProject(server, 'acme/answer', { answer: '41\n' });
}, 60_000);
afterAll(async () => {
  server.process.kill('SIGTERM');
  await server.exited;
  data.remove();
});

test('a killed server that has its own database goes on with its sessions as soon as it is up again', async () => {
  const steps = [{ run: 'echo one >> answer' }, { run: 'sleep 300' }];
  const agent = { name: 'slow', runtime: 'script', runtime_config: { steps, summary: '' } };
  const { json: made } = await server.call('POST', '/agents', agent);
  const body = { prompt: 'Count.', repositories: [{ repo: 'acme/answer' }], agent_id: made['id'] };
  const { json: session } = await server.call('POST', sessions, body);
  const path = `${sessions}/${String(session['id'])}`;
  await until(server, `${path}/events?kind=checkpoint`, ({ items }) => Array.isArray(items) && items.length > 0);
  server.process.kill('SIGKILL');
  await server.exited;
  server = await startServerProcess(data.path);
  const startedAt = performance.now();
  await until(server, path, ({ attempt_no: attempt }) => attempt === 2);
  // A lease lasts 10 s, and a new worker leaves others as much time to renew theirs.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect((await server.call('POST', `${path}/cancel`)).status).toBe(200);
});
