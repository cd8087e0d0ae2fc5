import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawData, WebSocket } from 'ws';
import { readFrames, writeFrame } from '../../../lib/link-frames.ts';
import { closeCodes, frameKinds, readAs, TerminalEnd } from './calls.ts';
import { parseControl } from './terminal-messages.ts';

/** Milliseconds for which a client may leave a full buffer unread. */
const slowClientMs = 30_000;
/** Bytes that wait for the client before the terminal waits too. */
const maxUnsentBytes = 256 * 1024;
/** A client that is gone without a word answers no ping. */
const pingMs = 30_000;
const closeWithinMs = 2_000;

/** Joins a person's WebSocket and the worker's terminal, until either side ends, or `stop` does. Resolves when both have closed. */
export async function bridgeTerminal(socket: WebSocket, link: Socket, stop: AbortSignal): Promise<void> {
  const bridge = new Bridge(socket, link);
  const onStop = (): void => bridge.end(endOf(stop.reason));
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  try {
    await bridge.run();
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

function endOf(reason: unknown): TerminalEnd {
  return readAs(TerminalEnd, reason);
}

const lost: TerminalEnd = { code: closeCodes.failed, reason: 'The connection to the worker was lost. Open it again.' };

class Bridge {
  readonly #socket: WebSocket;
  readonly #link: Socket;
  readonly #ended = Promise.withResolvers<TerminalEnd>();
  #queue: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, link: Socket) {
    this.#socket = socket;
    this.#link = link;
  }

  end(end: TerminalEnd): void {
    this.#ended.resolve(end);
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('error', () => this.end({ code: closeCodes.notAllowed, reason: 'A message was not allowed.' }));
    void closed.then(() => this.end(lost));
    const beat = this.#beat();
    this.#show().then(
      () => this.end(lost),
      () => this.end(lost),
    );
    const { code, reason } = await this.#ended.promise;
    clearInterval(beat);
    this.#link.destroy();
    socket.close(code, shortened(reason));
    await Promise.race([closed, delay(closeWithinMs, undefined, { ref: false })]);
    socket.terminate();
  }

  /** Sends output to the client, no faster than it reads. */
  async #show(): Promise<void> {
    for await (const { kind, payload } of readFrames(this.#link)) {
      if (kind === frameKinds.output) {
        this.#socket.send(payload, { binary: true });
        if (!(await this.#hasRoom())) return this.end({ code: closeCodes.notAllowed, reason: 'You read too slowly.' });
      } else if (kind === frameKinds.end) return this.end(readAs(TerminalEnd, JSON.parse(payload.toString('utf8'))));
    }
  }

  /** Waits until the client has read enough; false if it does not. */
  async #hasRoom(): Promise<boolean> {
    const deadline = performance.now() + slowClientMs;
    while (this.#socket.bufferedAmount > maxUnsentBytes && this.#socket.readyState === this.#socket.OPEN) {
      if (performance.now() > deadline) return false;
      await delay(20);
    }
    return true;
  }

  /** Passes a message on. The client waits while the terminal takes no more. */
  #hear(data: RawData, isBinary: boolean): void {
    const frame = isBinary ? { kind: frameKinds.typed, payload: bytesOf(data) } : parseControl(bytesOf(data));
    if (frame === undefined)
      return this.end({
        code: closeCodes.notAllowed,
        reason: 'A text message must be {"type": "resize", "cols": 1–1000, "rows": 1–1000}.',
      });
    this.#socket.pause();
    this.#queue = this.#queue
      .then(() => writeFrame(this.#link, frame.kind, frame.payload))
      .then(() => this.#socket.resume());
  }

  #beat(): NodeJS.Timeout {
    let isAlive = true;
    this.#socket.on('pong', () => (isAlive = true));
    return setInterval(() => {
      // A paused socket reads no pong.
      if (!isAlive && !this.#socket.isPaused) return this.end(lost);
      isAlive = false;
      this.#socket.ping();
    }, pingMs);
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** The reason of a close frame has at most 123 bytes. */
function shortened(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > 123) text = text.slice(0, -1);
  return text;
}
