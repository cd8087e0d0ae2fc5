import { ProviderError } from '../../../lib/errors.ts';
import type { Connection } from './connection.ts';
import { chunkBytes, type SupervisorEvent } from './protocol.ts';

/** Reads a whole regular file of a sandbox. Rejects when it is missing, larger than `maxBytes`, or not a file. */
export async function readFile(connection: Connection, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  await transfer(connection, path, (id) => {
    connection.send({ op: 'read', id, path, max_bytes: maxBytes });
    return (event) => {
      if (event.event !== 'data') return false;
      total += event.data.length;
      // The supervisor stops there by itself; one that does not must not fill the worker.
      if (total <= maxBytes) chunks.push(event.data);
      return true;
    };
  });
  return Buffer.concat(chunks);
}

/** Writes a whole file of a sandbox, with the directories it needs. */
export async function writeFile(connection: Connection, path: string, content: Buffer, mode: number): Promise<void> {
  let at = 0;
  await transfer(connection, path, (id) => {
    const next = () => {
      const data = content.subarray(at, at + chunkBytes).toString('base64');
      const first = at === 0;
      at += chunkBytes;
      connection.send({ op: 'write', id, path, mode, data, first, last: at >= content.length });
    };
    next();
    return (event) => {
      if (event.event !== 'done' || at >= content.length) return false;
      next();
      return true;
    };
  });
}

/** Runs one transfer until `done` or `failed`. `begin` returns a handler; `true` from it means that more is to come. */
function transfer(
  connection: Connection,
  path: string,
  begin: (id: number) => (event: SupervisorEvent) => boolean,
): Promise<void> {
  const settled = Promise.withResolvers<void>();
  let handle: (event: SupervisorEvent) => boolean = () => false;
  const id = connection.open({
    event(event) {
      if (handle(event)) return;
      if (event.event === 'done') {
        connection.close(id);
        settled.resolve();
      } else if (event.event === 'failed') {
        connection.close(id);
        settled.reject(
          new ProviderError(`${path}: ${event.message}`, { retryable: false, cause: { code: event.code } }),
        );
      }
    },
    lost: (error) => settled.reject(error),
  });
  handle = begin(id);
  return settled.promise;
}
