import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestApi } from '../../test/support/api.ts';

test('a connection that never asked anything does not hold up closing', async () => {
  const api = await startTestApi();
  const silent = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(silent, 'connect');
  // A request on another connection: its response shows that the server has accepted the silent connection, too.
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  const closed = once(silent, 'close');
  await api.close();
  await closed;
});
