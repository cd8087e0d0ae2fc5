import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from './errors.ts';

/** Returns a port that is free at the moment. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  server.listen({ host, port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Returns why a server cannot listen at an address, as a phrase without a subject; `''` when it can. Port 0 checks the address
 * alone.
 */
export async function portProblem(host: string, port: number): Promise<string> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return '';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE') return 'is taken by another program';
    if (code === 'EACCES') return 'needs privileges that this user does not have';
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return 'is not an address of this machine';
    return `cannot be used: ${messageOf(error)}`;
  } finally {
    server.close();
  }
}
