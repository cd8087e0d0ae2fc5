import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from './errors.ts';

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
