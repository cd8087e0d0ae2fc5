import type { PlannedStep, Position, Usage } from './script.ts';
import { mapCall, type MappedCall } from './tools.ts';
import type { Conversation } from './conversation.ts';

/** The model's answer, before it gets a wire format. */
export interface Reply {
  /** `<script>_<step>`: the end of every id in the answer. */
  mark: string;
  think: string[];
  /** One token each. */
  words: string[];
  /** True to send each word as its number and the time of sending. */
  stamp: boolean;
  calls: MappedCall[];
  stop: 'end' | 'calls' | 'length';
  usage: { input: number; output: number; cached: number; reasoning: number };
}

/**
 * Plays the step; throws {@link TextError} if no tool fits. Counts the input's tokens by `requestLength`, in
 * characters.
 */
export function playStep(position: Position, conversation: Conversation, requestLength: number): Reply {
  const { planned, id, step } = position;
  const mark = `${id}_${step}`;
  const calls = planned.calls.map((call, index) => mapCall(call, conversation.tools, `${mark}_${index}`));
  const reply = { mark, think: split(planned.think), words: stepWords(planned), stamp: planned.stamp, calls };
  return finish(reply, conversation, requestLength, planned.usage);
}

/** Returns an answer outside of the script. */
export function sayText(mark: string, text: string, conversation: Conversation, requestLength: number): Reply {
  const reply = { mark, think: [], words: split(text), stamp: false, calls: [] };
  return finish(reply, conversation, requestLength, {});
}

export function emptied(reply: Reply): Reply {
  const usage = { ...reply.usage, output: 0, reasoning: 0 };
  return { ...reply, think: [], words: [], calls: [], stop: 'end', usage };
}

/** Yields the text in deltas, each created on demand. */
export function* textDeltas(reply: Reply): Iterable<string> {
  for (const [index, word] of reply.words.entries()) {
    yield reply.stamp ? `${index}@${process.hrtime.bigint()} ` : word;
  }
}

/** Splits a call's arguments as JSON into up to four pieces, never within a character. */
export function argumentDeltas(call: MappedCall): string[] {
  const json = JSON.stringify(call.input);
  const size = Math.max(4, Math.ceil(json.length / 4));
  const pieces: string[] = [];
  for (let from = 0; from < json.length;) {
    let to = Math.min(from + size, json.length);
    if (/[\uDC00-\uDFFF]/.test(json.charAt(to))) to += 1;
    pieces.push(json.slice(from, to));
    from = to;
  }
  return pieces;
}

function stepWords(planned: PlannedStep): string[] {
  if (planned.tokens === undefined) return split(planned.say ?? planned.text);
  return Array.from({ length: planned.tokens }, (_, index) => `w${index} `);
}

function split(text: string): string[] {
  return text.match(/^\s+|\S+\s*/g) ?? [];
}

function finish(
  reply: Pick<Reply, 'mark' | 'think' | 'words' | 'stamp' | 'calls'>,
  { maxTokens = Infinity }: Conversation,
  requestLength: number,
  usage: Usage,
): Reply {
  const think = reply.think.slice(0, maxTokens);
  const words = reply.words.slice(0, Math.max(0, maxTokens - think.length));
  const isCut = think.length + words.length < reply.think.length + reply.words.length;
  const calls = isCut ? [] : reply.calls;
  const counted = think.length + words.length + Math.ceil(JSON.stringify(calls).length / 4);
  const output = usage.output ?? (calls.length === 0 ? think.length + words.length : counted);
  return {
    ...reply,
    think,
    words,
    calls,
    stop: isCut ? 'length' : calls.length > 0 ? 'calls' : 'end',
    usage: {
      input: usage.input ?? Math.ceil(requestLength / 4),
      output,
      cached: usage.cached ?? 0,
      reasoning: Math.min(output, think.length),
    },
  };
}
