import { once } from 'node:events';
import type { Server } from 'node:http';

/** Starts a server of a fake host on this machine. Returns its address without a trailing slash. */
export async function listen(
  server: Server,
  ip: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<{ url: string; close(): Promise<void> }> {
  server.listen(0, ip);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://${ip === '::1' ? '[::1]' : ip}:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
