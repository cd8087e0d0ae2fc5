import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { openStream } from '../../test/support/event-stream.ts';
import { sessionIn } from '../../test/support/session-states.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../test/support/database-proxy.ts';

let directory: string;
let logFile: number;
let database: TestDatabase;
let proxy: DatabaseProxy;
let api: TestApi;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guildhall-away-'));
  logFile = openSync(join(directory, 'log'), 'a');
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.connectionString);
  api = await startTestApi({ DATABASE_URL: proxy.connectionString, GUILDHALL_LOG_LEVEL: 'error' }, logFile);
});
afterAll(async () => {
  proxy.mend();
  await api.close();
  await proxy.close();
  await database.drop();
  closeSync(logFile);
  await rm(directory, { recursive: true, force: true });
});

const sessions = '/v3/organizations/default/sessions';

test('without a database requests are asked to come back, and one line of the log says why', async () => {
  const key = await api.keyWith(['sessions:read']);
  expect((await api.call('GET', sessions, { key })).status).toBe(200);
  proxy.cut();
  const answers = await Promise.all(
    [sessions, `${sessions}/ses_none`, `${sessions}/ses_none/events/stream`, '/v3/self', '/agents'].flatMap((path) => [
      api.call('GET', path),
      api.call('POST', path, { body: {} }),
      api.call('GET', path, { key }),
    ]),
  );
  const refused = answers.filter(({ status }) => status !== 404);
  expect(refused.length).toBeGreaterThan(10);
  for (const { status, json, headers } of refused) {
    expect([status, json['error'], headers.get('retry-after')]).toEqual([503, 'capacity_unavailable', '2']);
  }
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  const lines = readFileSync(join(directory, 'log'), 'utf8').trim().split('\n');
  expect(lines.filter((line) => line.includes('requests get 503'))).toHaveLength(1);
  expect(lines).toHaveLength(1);
  proxy.mend();
  expect((await api.call('GET', sessions, { key })).status).toBe(200);
});

test('a stream that loses the database before it can begin is refused, and not opened and ended', async () => {
  const { path } = await sessionIn(api, 'queued');
  const ofOrganization = '/v3/organizations/default/events/stream';
  for (const [stream, statement, position] of [
    [`${path}/events/stream`, 'events_after', {}],
    [ofOrganization, 'organization_events_newest', {}],
    [ofOrganization, 'organization_events_after', { 'last-event-id': '100000' }],
  ] as const) {
    proxy.cutAt(statement);
    const { status, json, headers } = await api.call('GET', stream, { headers: position });
    expect([status, json['error'], headers.get('retry-after')]).toEqual([503, 'capacity_unavailable', '2']);
    proxy.mend();
    const opened = await openStream(api, stream);
    expect(opened.status).toBe(200);
    await opened.leave();
  }
});
