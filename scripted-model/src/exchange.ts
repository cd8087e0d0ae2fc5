import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Conversation } from './conversation.ts';
import type { Fault, FaultCounter } from './faults.ts';
import type { JsonObject } from './json.ts';
import { emptied, type Reply } from './reply.ts';
import type { Position } from './script.ts';
import type { ApiError, Frame, Wire } from './wire.ts';

/** The size at which a stream's chunks are sent, if nobody waits for each delta. */
const flushBytes = 16_384;

/** The planned answer. */
export interface Played {
  reply: Reply;
  position: Position | undefined;
  /** False if the step could not be played; then it has no faults and delays either. */
  asPlanned: boolean;
}

/** One response while it is sent. */
export class Exchange {
  readonly #wire: Wire;
  readonly #conversation: Conversation;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();

  constructor(wire: Wire, conversation: Conversation, response: ServerResponse) {
    this.#wire = wire;
    this.#conversation = conversation;
    this.#response = response;
    response.once('close', () => this.#gone.abort());
  }

  async send({ reply, position, asPlanned }: Played, faults: FaultCounter): Promise<void> {
    const planned = asPlanned ? position?.planned : undefined;
    const fault = position && planned && faults.next(position.id, position.step, planned.faults);
    try {
      if (planned !== undefined && planned.delayMs > 0) await this.#sleep(planned.delayMs);
      if (fault === undefined) return await this.#answer(reply, planned?.tokenDelayMs ?? 0, Infinity);
      await this.#fail(fault, reply, planned?.tokenDelayMs ?? 0);
    } catch (error) {
      if (!this.#gone.signal.aborted) throw error;
    }
  }

  async #fail(fault: Fault, reply: Reply, tokenDelayMs: number): Promise<void> {
    if ('status' in fault) {
      const { status, retry_after: retryAfter } = fault;
      const message = `The script wants this request to fail with status ${status}`;
      return sendError(this.#response, this.#wire, { status, message, retryAfter });
    }
    if ('cut' in fault) return this.#answer(reply, tokenDelayMs, fault.cut);
    if ('empty' in fault) return this.#answer(emptied(reply), tokenDelayMs, Infinity);
    if ('nonsense' in fault) {
      const body = '<!doctype html><title>It works!</title>';
      const type = this.#conversation.stream ? 'text/event-stream' : 'application/json';
      this.#response
        .writeHead(200, { 'content-type': type })
        .end(this.#conversation.stream ? `data: ${body}\n\n` : body);
    }
    // Left open until the client or the server closes.
  }

  /** Sends all of it, or breaks the connection after `cut` deltas (bytes without streaming). */
  async #answer(reply: Reply, tokenDelayMs: number, cut: number): Promise<void> {
    if (this.#conversation.stream) return this.#stream(reply, tokenDelayMs, cut);
    const body = Buffer.from(JSON.stringify(this.#wire.answer(reply, this.#conversation)));
    if (cut === Infinity) return sendBody(this.#response, 200, body);
    this.#response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    await this.#break(body.subarray(0, Math.min(cut, body.length - 1)));
  }

  async #stream(reply: Reply, tokenDelayMs: number, cut: number): Promise<void> {
    const frames = this.#wire.stream(reply, this.#conversation);
    const isPaced = tokenDelayMs > 0 || reply.stamp;
    this.#response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    let pending = '';
    for (const { data, delta } of cut === Infinity ? frames : cutShort(frames, cut)) {
      pending += data;
      if (isPaced || pending.length > flushBytes) {
        await this.#write(pending);
        pending = '';
      }
      if (delta === 'text' && tokenDelayMs > 0) await this.#sleep(tokenDelayMs);
    }
    if (cut !== Infinity) return this.#break(pending);
    this.#response.end(pending);
  }

  async #write(text: string): Promise<void> {
    if (text !== '' && !this.#response.write(text)) await once(this.#response, 'drain', { signal: this.#gone.signal });
  }

  /** Ends the connection once the client can have received all of `last`. */
  async #break(last: Buffer | string): Promise<void> {
    this.#response.flushHeaders();
    if (last.length > 0) await new Promise((resolve) => this.#response.write(last, resolve));
    this.#response.destroy();
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#gone.signal });
  }
}

/** Yields the stream up to its `deltas`th delta; never what follows the last one, so that it has no end. */
function* cutShort(frames: Iterable<Frame>, deltas: number): Iterable<Frame> {
  let held: Frame[] = [];
  let sent = 0;
  for (const frame of frames) {
    if (sent >= deltas) return;
    held.push(frame);
    if (frame.delta === undefined) continue;
    yield* held;
    held = [];
    sent += 1;
  }
}

export function sendError(response: ServerResponse, wire: Wire, error: ApiError): void {
  if (error.retryAfter !== undefined) response.setHeader('retry-after', String(error.retryAfter));
  sendJson(response, error.status, wire.error(error));
}

export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  sendBody(response, status, Buffer.from(JSON.stringify(body)));
}

function sendBody(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}
