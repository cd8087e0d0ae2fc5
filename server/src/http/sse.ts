import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { streamPlaces } from './stream-places.ts';

/** Milliseconds for which a client may leave a full buffer unread before it is disconnected. */
const slowClientMs = 30_000;

/** A server-sent event stream on a hijacked reply. */
export interface EventStream {
  /** Aborts when the client has disconnected, or was disconnected for reading too slowly. */
  readonly gone: AbortSignal;
  /** Writes frames; resolves once the client's buffer has room again. */
  write(frames: string): Promise<void>;
  end(): void;
}

/** The headers of a stream alone, for HEAD. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};

/** Hijacks the response and sends the headers of a stream. Throws 503 `capacity_unavailable` if too many are open. */
export function openEventStream(reply: FastifyReply, orgId: string): EventStream {
  const leave = streamPlaces.take(orgId);
  reply.hijack();
  const response = reply.raw;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  response.writeHead(200, {
    ...eventStreamHeaders,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-request-id': reply.request.id,
  });
  // A client knows at once that it is connected, also if the first event comes late.
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const gone = new AbortController();
  const close = (): void => {
    leave();
    gone.abort();
  };
  response.once('close', close);
  // The client may have left while the request was handled.
  if (response.destroyed) close();
  return {
    gone: gone.signal,
    async write(frames) {
      if (gone.signal.aborted || response.write(frames)) return;
      try {
        await once(response, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(slowClientMs)]) });
      } catch {
        gone.abort();
        response.destroy();
      }
    },
    end: () => void response.end(),
  };
}

/** Describes the frames of a stream for the OpenAPI document: `data` is the text of this JSON. */
export function framesOf(data: TSchema) {
  return Type.Object({
    id: Type.Optional(
      Type.String({ description: 'The line `id:`; send it as `Last-Event-ID` to resume after this event.' }),
    ),
    event: Type.String({ description: 'The line `event:`.' }),
    data: Type.String({
      description: 'The line `data:`, JSON.',
      contentMediaType: 'application/json',
      contentSchema: data,
    }),
  });
}

/** One frame. `data` is a single line of JSON. */
export function frame(event: { id?: number; event: string; data: string }): string {
  return `${event.id === undefined ? '' : `id: ${event.id}\n`}event: ${event.event}\ndata: ${event.data}\n\n`;
}
