import { connect } from 'node:net';
import { join } from 'node:path';
import { layoutOf, socketName, socketUrl } from './layout.ts';

/** The address of the embedded server that another process runs on this data directory; undefined when none does. */
export async function runningUrl(dataDir: string): Promise<string | undefined> {
  const layout = layoutOf(dataDir);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(join(layout.socketDir, socketName));
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  const answers = await promise;
  socket.destroy();
  return answers ? socketUrl(layout, 'guildhall') : undefined;
}
