import { open, rm } from 'node:fs/promises';
import { ProviderError } from '../../../lib/errors.ts';
import type { Line } from './connection.ts';
import { chunkBytes, type SupervisorEvent } from './protocol.ts';

const progressWithinMs = 30_000;

/** Reads a whole regular file of a sandbox. Rejects when it is missing, larger than `maxBytes`, or not a file. */
export async function readFile(line: Line, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await readPieces(line, path, maxBytes, (piece) => void chunks.push(piece));
  return Buffer.concat(chunks);
}

/** The same into a new file of the host, without holding it; answers its size. The file is removed when it rejects. */
export async function copyOut(line: Line, path: string, hostPath: string, maxBytes: number): Promise<number> {
  const file = await open(hostPath, 'wx', 0o600);
  try {
    let written = Promise.resolve();
    const size = await readPieces(line, path, maxBytes, (piece) => {
      written = written.then(() => file.appendFile(piece));
      return written;
    });
    await written;
    return size;
  } catch (error) {
    await rm(hostPath, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Hands a file's pieces on as they come, and lets the supervisor send more as far as they were taken. */
async function readPieces(
  line: Line,
  path: string,
  maxBytes: number,
  take: (piece: Buffer) => Promise<void> | void,
): Promise<number> {
  let total = 0;
  await transfer(line, path, (id, reject) => {
    line.connection.send({ op: 'read', id, path, max_bytes: maxBytes });
    const taken = (bytes: number): void => line.connection.send({ op: 'taken', id, bytes });
    return (event) => {
      if (event.event !== 'data') return false;
      const { data } = event;
      total += data.length;
      // The supervisor stops there by itself; one that does not must not fill the worker.
      if (total > maxBytes) return true;
      const taking = take(data);
      if (taking === undefined) taken(data.length);
      else taking.then(() => taken(data.length), reject);
      return true;
    };
  });
  if (total > maxBytes) throw new ProviderError(`${path} is larger than ${maxBytes} bytes`, { retryable: false });
  return total;
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
function transfer(
  line: Line,
  path: string,
  begin: (id: number, reject: (error: Error) => void) => (event: SupervisorEvent) => boolean,
): Promise<void> {
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
  handle = begin(id, reject);
  return settled.promise;
}
