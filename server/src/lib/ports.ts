import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from './errors.ts';

/**
 * Whether a server can listen there: what is in the way, in words that need a subject before them; `''` when nothing is.
 * A port of 0 asks for the address alone.
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
    if (code === 'EACCES') return 'needs rights that this user does not have';
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return 'is no address of this machine';
    return `cannot be listened on: ${messageOf(error)}`;
  } finally {
    server.close();
  }
}
