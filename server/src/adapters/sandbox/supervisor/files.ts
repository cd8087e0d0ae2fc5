import { open, rm } from 'node:fs/promises';
import { ProviderError } from '../../../lib/errors.ts';
import type { SupervisorLink } from './connection.ts';
import { chunkBytes, type SupervisorEvent } from './protocol.ts';

const progressWithinMs = 30_000;

/** Reads a regular file of a sandbox. Rejects if it is missing, larger than `maxBytes`, or not a file. */
export async function readFile(line: SupervisorLink, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await readPieces(line, path, maxBytes, (piece) => void chunks.push(piece));
  return Buffer.concat(chunks);
}

/** Copies a file to a new file of the host in constant memory, and returns its size. Removes the file on failure. */
export async function copyOut(line: SupervisorLink, path: string, hostPath: string, maxBytes: number): Promise<number> {
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

/** Passes a file's pieces on as they arrive, and acknowledges them so that the supervisor sends more. */
async function readPieces(
  line: SupervisorLink,
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
      // The supervisor stops there itself; a hostile one must not fill the worker's memory.
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

interface WriteOptions {
  mode: number;
  /** Creates a new file even where one exists that cannot be written. */
  replace?: boolean;
}

/** Writes a whole file of a sandbox, and creates missing directories. */
export async function writeFile(
  line: SupervisorLink,
  path: string,
  content: Buffer,
  options: WriteOptions,
): Promise<void> {
  await writePieces(line, path, { ...options, size: content.length }, (at) => content.subarray(at, at + chunkBytes));
}

/** Copies a file of the host into a sandbox in constant memory, and creates missing directories. */
export async function copyIn(
  line: SupervisorLink,
  hostPath: string,
  path: string,
  options: WriteOptions,
): Promise<void> {
  const file = await open(hostPath, 'r');
  try {
    const { size } = await file.stat();
    await writePieces(line, path, { ...options, size }, async (at) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
      if (bytesRead === 0 && size > 0) throw new ProviderError(`${hostPath} became shorter`, { retryable: false });
      return buffer.subarray(0, bytesRead);
    });
  } finally {
    await file.close();
  }
}

/** Sends the pieces that begin at 0, and at the end of each one that the supervisor has written. */
async function writePieces(
  line: SupervisorLink,
  path: string,
  { size, mode, replace = false }: WriteOptions & { size: number },
  pieceAt: (at: number) => Buffer | Promise<Buffer>,
): Promise<void> {
  let at = 0;
  await transfer(line, path, (id, reject) => {
    const send = (piece: Buffer): void => {
      const first = at === 0;
      at += piece.length;
      const data = piece.toString('base64');
      line.connection.send({ op: 'write', id, path, mode, replace, data, first, last: at >= size });
    };
    const next = (): void => {
      const piece = pieceAt(at);
      if (Buffer.isBuffer(piece)) send(piece);
      else piece.then(send).catch(reject);
    };
    next();
    return (event) => {
      if (event.event !== 'done' || at >= size) return false;
      next();
      return true;
    };
  });
}

/**
 * Runs one transfer until `done` or `failed`. `begin` returns a handler, which returns `true` if it expects more. Rejects if the
 * supervisor makes no progress for a long time.
 */
function transfer(
  line: SupervisorLink,
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
    reject(new ProviderError(`${path}: the sandbox does not respond`, { retryable: true }));
    line.onStuck('its supervisor does not respond');
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
