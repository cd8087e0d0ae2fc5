import { ProviderError } from '../../../lib/errors.ts';
import type { Line } from './connection.ts';
import { chunkBytes, type SupervisorEvent } from './protocol.ts';

const progressWithinMs = 30_000;

/** Reads a whole regular file of a sandbox. Rejects when it is missing, larger than `maxBytes`, or not a file. */
export async function readFile(line: Line, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  await transfer(line, path, (id) => {
    line.connection.send({ op: 'read', id, path, max_bytes: maxBytes });
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

/**
 * Writes a whole file of a sandbox, with the directories it needs. `replace` makes a new one in any case, also where there
 * is one that cannot be written.
 */
export async function writeFile(
  line: Line,
  path: string,
  content: Buffer,
  { mode, replace = false }: { mode: number; replace?: boolean },
): Promise<void> {
  let at = 0;
  await transfer(line, path, (id) => {
    const next = () => {
      const data = content.subarray(at, at + chunkBytes).toString('base64');
      const first = at === 0;
      at += chunkBytes;
      line.connection.send({ op: 'write', id, path, mode, replace, data, first, last: at >= content.length });
    };
    next();
    return (event) => {
      if (event.event !== 'done' || at >= content.length) return false;
      next();
      return true;
    };
  });
}

/**
 * Runs one transfer until `done` or `failed`. `begin` returns a handler; `true` from it means that more is to come. Rejects
 * when the supervisor makes no progress for a long time.
 */
function transfer(line: Line, path: string, begin: (id: number) => (event: SupervisorEvent) => boolean): Promise<void> {
  const { connection } = line;
  const settled = Promise.withResolvers<void>();
  let handle: (event: SupervisorEvent) => boolean = () => false;
  const finish = () => {
    clearTimeout(timer);
    connection.close(id);
  };
  const reject = (error: Error) => {
    finish();
    settled.reject(error);
  };
  const timer = setTimeout(() => {
    reject(new ProviderError(`${path}: the sandbox does not answer`, { retryable: true }));
    line.onStuck('its supervisor does not answer');
  }, progressWithinMs);
  const id = connection.open({
    event(event) {
      timer.refresh();
      if (handle(event)) return;
      if (event.event === 'done') {
        finish();
        settled.resolve();
      } else if (event.event === 'failed') {
        reject(new ProviderError(`${path}: ${event.message}`, { retryable: false, cause: { code: event.code } }));
      }
    },
    lost: reject,
  });
  handle = begin(id);
  return settled.promise;
}
