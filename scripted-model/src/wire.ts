import type { Conversation } from './conversation.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';

export type Api = 'chat' | 'responses' | 'messages' | 'gemini';

/** A chunk of a stream: a server-sent event, and whether it has a part of a text or of a call. */
export interface Frame {
  data: string;
  delta?: 'text' | 'call';
}

export interface ApiError {
  status: number;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

/** A wire format of an API. */
export interface Wire {
  /**
   * Parses a request. `path` has more in some APIs: Gemini's model, and whether to stream. Throws {@link RequestError}.
   */
  read(body: JsonObject, path: URL): Conversation;
  answer(reply: Reply, conversation: Conversation): JsonObject;
  stream(reply: Reply, conversation: Conversation): Iterable<Frame>;
  error(error: ApiError): JsonObject;
}

export function frame(data: unknown, options: { event?: string; delta?: 'text' | 'call' } = {}): Frame {
  const event = options.event === undefined ? '' : `event: ${options.event}\n`;
  return { data: `${event}data: ${JSON.stringify(data)}\n\n`, delta: options.delta };
}

/** Returns the error shape of OpenAI's two APIs. */
export function openAiError({ status, message }: ApiError): JsonObject {
  const kinds: Record<number, [type: string, code: string | null]> = {
    401: ['invalid_request_error', 'invalid_api_key'],
    429: ['requests', 'rate_limit_exceeded'],
  };
  const [type, code] = kinds[status] ?? [status < 500 ? 'invalid_request_error' : 'server_error', null];
  return { error: { message, type, param: null, code } };
}
