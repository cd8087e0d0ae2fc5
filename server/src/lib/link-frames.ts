import type { Socket } from 'node:net';

/** A piece of a conversation over one connection. */
export interface Frame {
  /** One ASCII letter. */
  readonly kind: string;
  readonly payload: Buffer;
}

/** Limit for the payload of a frame. */
const maxFrameBytes = 64 * 1024;

const headBytes = 5;

/** Encodes a frame: its kind, the length of the payload in four bytes (big-endian), and the payload. */
function encodeFrame(kind: string, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(kind, 'latin1');
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Writes a frame; resolves when the connection takes more, or has closed. */
export async function writeFrame(socket: Socket, kind: string, payload: Uint8Array): Promise<void> {
  if (!socket.destroyed && !socket.write(encodeFrame(kind, payload))) await drained(socket);
}

/** Resolves when a connection takes more bytes, or has closed. */
export async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  socket.once('drain', done);
  socket.once('close', done);
  await promise;
  socket.off('drain', done);
  socket.off('close', done);
}

/** Reads the frames of a connection until it ends; while one is handled, the connection waits. Throws on a frame that is too long. */
export async function* readFrames(socket: Socket): AsyncGenerator<Frame> {
  let held = Buffer.alloc(0);
  for await (const chunk of socket) {
    held = Buffer.concat([held, Buffer.from(chunk)]);
    for (;;) {
      if (held.length < headBytes) break;
      const length = held.readUInt32BE(1);
      if (length > maxFrameBytes) throw new Error(`a frame of ${length} bytes is too long`);
      if (held.length < headBytes + length) break;
      const kind = held.toString('latin1', 0, 1);
      const payload = held.subarray(headBytes, headBytes + length);
      held = held.subarray(headBytes + length);
      yield { kind, payload };
    }
  }
}
