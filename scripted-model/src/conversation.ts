import type { JsonObject } from './json.ts';

/** One message of a conversation, or one item where an API splits them. */
export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  /** The ids of the tool calls it makes; names where the API has no ids. */
  calls: string[];
  /** The ids of the tool calls it answers. */
  results: string[];
  /** Every id in it that this server may have given out. */
  marks: string[];
}

export interface Tool {
  name: string;
  /** A JSON schema. */
  schema: JsonObject;
}

/** A request, as the four APIs have it in common. */
export interface Conversation {
  model: string;
  turns: Turn[];
  /** What it may call; none where the request forbids it. */
  tools: Tool[];
  maxTokens: number | undefined;
  stream: boolean;
  /** Chat completions only. */
  includeUsage?: boolean;
}

/** The request is one that the real service refuses, with status 400. */
export class RequestError extends Error {}

/** The model cannot play on; said as its text, so that whoever reads the conversation sees it. */
export class TextError extends Error {}

/** Refuses what real services refuse: a call without its result next, and a result without its call. */
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
