import { createParser } from 'eventsource-parser';

/** A value of JSON whose shape is looked at where it is used. */
export type Json = Record<string, unknown>;

export interface Api {
  url: string;
  key: string;
  call(method: string, path: string, body?: unknown): Promise<Json>;
  /** Events of a session, from the first one on; ends when the consumer stops. */
  follow(path: string, signal: AbortSignal): AsyncGenerator<Json>;
}

/** The few calls that the demonstration makes, as anyone would make them. */
export function createApi(url: string, key: string): Api {
  const headers = { authorization: `Bearer ${key}` };
  return {
    url,
    key,
    async call(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = objectOf(await response.json());
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${String(answer['message'])}`);
      return answer;
    },
    async *follow(path, signal) {
      const response = await fetch(`${url}${path}`, { headers, signal });
      if (response.body === null || !response.ok) throw new Error(`${path} answered ${response.status}`);
      const events: Json[] = [];
      const parser = createParser({
        onEvent: ({ id, data }) => void (id !== undefined && events.push(objectOf(JSON.parse(data)))),
      });
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        parser.feed(chunk);
        yield* events.splice(0);
      }
    },
  };
}

/** An object as it is; anything else as `{}`. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
