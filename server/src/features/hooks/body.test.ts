import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { expect, test } from 'vitest';
import { readBody } from './body.ts';

test('the connection of a body that arrives too slowly is closed', async () => {
  const { promise: read, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((incoming) => {
    void readBody(incoming, 1_000, 500).then(resolve, resolve);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const sent = request({ port, method: 'POST', headers: { 'content-length': 1_000 } });
  const closed = once(sent, 'error');
  const drip = setInterval(() => sent.write('x'), 100);
  try {
    await expect(read).resolves.toMatchObject({ message: 'The body must arrive within 0.5 s.' });
    await expect(closed).resolves.toMatchObject([{ code: 'ECONNRESET' }]);
  } finally {
    clearInterval(drip);
    server.close();
  }
});
