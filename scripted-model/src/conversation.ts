import type { JsonObject } from './json.ts';

/** One message of a conversation, or one item in APIs that split messages. */
export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  /** The ids of its tool calls; names in APIs without ids. */
  calls: string[];
  /** The ids of the tool calls whose results it has. */
  results: string[];
  /** Every id in it that this server may have created. */
  marks: string[];
}

export interface Tool {
  name: string;
  /** A JSON schema. */
  schema: JsonObject;
}

/** A request in a form common to the four APIs. */
export interface Conversation {
  model: string;
  turns: Turn[];
  /** The offered tools; none if the request forbids calls. */
  tools: Tool[];
  maxTokens: number | undefined;
  stream: boolean;
  /** Chat completions only. */
  includeUsage?: boolean;
}

/** A request that the real service rejects with status 400. */
export class RequestError extends Error {}

/** The model cannot continue; the message becomes its text, so that readers of the conversation see it. */
export class TextError extends Error {}

/** Rejects what real services reject: a call that is not followed by its result, and a result without its call. */
export function checkResults(turns: Turn[]): void {
  let open: string[] = [];
  for (const turn of turns) {
    for (const id of turn.results) {
      const at = open.indexOf(id);
      if (at === -1) throw new RequestError(`The result for tool call ${id} does not follow a message with that call`);
      open = open.toSpliced(at, 1);
    }
    if (open.length > 0 && turn.text !== '' && turn.results.length === 0 && turn.calls.length === 0) {
      throw new RequestError(`Tool call ${open[0]} is not followed by its result`);
    }
    open = [...open, ...turn.calls];
  }
  if (open.length > 0) throw new RequestError(`Tool call ${open[0]} is not followed by its result`);
}
