import { LongJson, UnusableJson } from '../../lib/long-json.ts';
import { EventData } from '../../lib/event-data.ts';
import { isRecord } from '../../lib/record.ts';
import type { TokenCount } from './prices.ts';
import type { WireFormat } from './path.ts';

/** Reads the usage of a call from its response as it passes, piece by piece. Never fails: unknown responses still pass. */
export interface UsageMeter {
  push(chunk: Buffer): Promise<void>;
  /** True when the stream has announced its end, so the usage is final. The connection may stay open a little longer. */
  readonly complete: boolean;
  /** `whole`: the response ended normally. `inputTokens` is the estimate, for a response without usage. */
  read(whole: boolean, inputTokens: number): Promise<TokenCount>;
}

/** The usage seen so far. Numbers are totals; later events replace earlier ones. */
interface Tally {
  input: number | undefined;
  output: number | undefined;
  cached: number;
  written: number;
  writtenHour: number;
  /** The length of the generated text, from which tokens are estimated if the response breaks before it reports them. */
  characters: number;
  /** True when `output` is the final count. */
  final: boolean;
  complete: boolean;
  /** Returns the length of a text of the current event, or of a part of it as JSON. */
  lengthOf(text: string): number;
}

type Reader = (event: Record<string, unknown>, tally: Tally) => void;

/** The average length of a token of prose or code. */
const charactersPerToken = 4;
/** No call has more tokens; beyond it, sums would not fit into the ledger. */
const maxTokens = 1_000_000_000;
/** The maximum size of a stream event, which is buffered until complete. */
const maxEventBytes = 8 * 1024 * 1024;
/** Longer events are parsed in steps. */
const longBytes = 65_536;
/** Exceeds real responses. */
const jsonLimits = { values: 50_000, depth: 500 };
/** The maximum size of a response that is not streamed. */
const maxJsonBytes = 32 * 1024 * 1024;

export function createUsageMeter(format: WireFormat, contentType: string, stream: boolean): UsageMeter {
  const tally: Tally = {
    input: undefined,
    output: undefined,
    cached: 0,
    written: 0,
    writtenHour: 0,
    characters: 0,
    final: false,
    complete: false,
    lengthOf: wholeLength,
  };
  const isJson = contentType.startsWith('application/json') || !(stream || contentType.startsWith('text/event-stream'));
  const source = isJson ? jsonSource(readers[format], tally) : eventSource(readers[format], tally);
  return {
    push: (chunk) => source.push(chunk),
    get complete() {
      return tally.complete;
    },
    async read(whole, inputTokens) {
      await source.end();
      return countOf(tally, whole && (isJson || tally.complete || format === 'contents'), inputTokens);
    },
  };
}

const wholeLength = (text: string): number => text.length;

function countOf(tally: Tally, whole: boolean, inputTokens: number): TokenCount {
  const estimate = Math.ceil(tally.characters / charactersPerToken);
  const reported = tally.output ?? 0;
  const known = tally.final || (whole && tally.output !== undefined);
  const input = tally.input ?? (tally.characters > 0 ? inputTokens : 0);
  return {
    inputTokens: input,
    outputTokens: known ? reported : Math.max(reported, estimate),
    cachedInputTokens: Math.min(tally.cached, input),
    cacheWriteTokens: tally.written,
    cacheWriteHourTokens: tally.writtenHour,
  };
}

interface Source {
  push(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

function eventSource(read: Reader, tally: Tally): Source {
  const events = new EventData();
  return {
    async push(chunk) {
      // Counted as a response even if it cannot be parsed.
      if (events.heldBytes > maxEventBytes) tally.characters += chunk.length;
      else
        for (const data of events.push(chunk))
          if (data.length > longBytes) await readLongJson(data, read, tally);
          else if (data.toString() === '[DONE]') tally.complete = true;
          else readJson(data.toString(), read, tally);
    },
    end: () => Promise.resolve(),
  };
}

function jsonSource(read: Reader, tally: Tally): Source {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    async push(chunk) {
      size += chunk.length;
      if (size <= maxJsonBytes) chunks.push(chunk);
    },
    async end() {
      await readLongJson(Buffer.concat(chunks.splice(0)), read, tally);
      // A response without usage still counts as one.
      if (tally.output === undefined) tally.characters = Math.max(tally.characters, size);
    },
  };
}

function readJson(text: string, read: Reader, tally: Tally): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Counted as a response even if it cannot be parsed.
    tally.characters += text.length;
  }
  readValue(value, read, tally);
}

async function readLongJson(bytes: Buffer, read: Reader, tally: Tally): Promise<void> {
  try {
    const json = await LongJson.read(bytes, jsonLimits);
    tally.lengthOf = (text) => json.lengthOf(text);
    readValue(json.value, read, tally);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    tally.characters += bytes.length;
  } finally {
    tally.lengthOf = wholeLength;
  }
}

/** Reads Google's stream without `alt=sse`, which is one JSON array. */
function readValue(value: unknown, read: Reader, tally: Tally): void {
  for (const event of Array.isArray(value) ? value : [value]) if (isRecord(event)) read(event, tally);
}

const readers: Record<WireFormat, Reader> = {
  /** https://docs.anthropic.com/en/api/messages-streaming: `message_delta` has totals; cached input is counted separately. */
  messages(event, tally) {
    const { type } = event;
    if (type === 'message_stop') tally.complete = true;
    const delta = recordIn(event, 'delta');
    if (type === 'content_block_delta')
      tally.characters += lengthOf(tally, delta['text'], delta['partial_json'], delta['thinking']);
    const usage = type === 'message_start' ? recordIn(recordIn(event, 'message'), 'usage') : recordIn(event, 'usage');
    const cached = numberIn(usage, 'cache_read_input_tokens') ?? tally.cached;
    const written = numberIn(usage, 'cache_creation_input_tokens') ?? tally.written;
    const fresh = numberIn(usage, 'input_tokens');
    if (fresh !== undefined || tally.input !== undefined)
      tally.input = (fresh ?? (tally.input ?? 0) - tally.cached - tally.written) + cached + written;
    tally.cached = cached;
    tally.written = written;
    tally.writtenHour = numberIn(recordIn(usage, 'cache_creation'), 'ephemeral_1h_input_tokens') ?? tally.writtenHour;
    const output = numberIn(usage, 'output_tokens');
    tally.output = output ?? tally.output;
    if (output !== undefined && type !== 'message_start') tally.final = true;
  },
  /** https://platform.openai.com/docs/api-reference/responses-streaming: the last event has the whole response. */
  responses(event, tally) {
    const { type } = event;
    if (typeof type === 'string' && type.endsWith('.delta')) tally.characters += lengthOf(tally, event['delta']);
    const ends = type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
    const usage = recordIn(ends ? recordIn(event, 'response') : event, 'usage');
    tally.input = numberIn(usage, 'input_tokens') ?? tally.input;
    tally.output = numberIn(usage, 'output_tokens') ?? tally.output;
    const details = recordIn(usage, 'input_tokens_details');
    tally.cached = numberIn(details, 'cached_tokens') ?? tally.cached;
    tally.written = numberIn(details, 'cache_write_tokens') ?? tally.written;
    tally.final ||= tally.output !== undefined;
    tally.complete ||= ends;
  },
  /** https://platform.openai.com/docs/api-reference/chat-streaming: a separate chunk, or every chunk, has the usage. */
  chat(event, tally) {
    const choices = event['choices'];
    for (const choice of Array.isArray(choices) ? choices : []) {
      const delta = recordIn(choice, 'delta');
      tally.characters += lengthOf(
        tally,
        delta['content'],
        delta['reasoning_content'],
        delta['reasoning'],
        delta['refusal'],
      );
      const calls = delta['tool_calls'];
      for (const call of Array.isArray(calls) ? calls : [])
        tally.characters += lengthOf(tally, recordIn(call, 'function')['arguments']);
    }
    const usage = recordIn(event, 'usage');
    tally.input = numberIn(usage, 'prompt_tokens') ?? tally.input;
    tally.output = numberIn(usage, 'completion_tokens') ?? tally.output;
    const details = recordIn(usage, 'prompt_tokens_details');
    tally.cached = numberIn(details, 'cached_tokens') ?? tally.cached;
    tally.written = numberIn(details, 'cache_write_tokens') ?? tally.written;
    tally.final ||= tally.output !== undefined;
  },
  /**
   * https://ai.google.dev/api/generate-content#UsageMetadata: running totals; thoughts are counted separately from candidates.
   */
  contents(event, tally) {
    const candidates = event['candidates'];
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      const parts = recordIn(candidate, 'content')['parts'];
      for (const part of Array.isArray(parts) ? parts : []) {
        const call = recordIn(part, 'functionCall')['args'];
        tally.characters += lengthOf(tally, isRecord(part) ? part['text'] : '', JSON.stringify(call));
      }
    }
    const usage = recordIn(event, 'usageMetadata');
    const input = numberIn(usage, 'promptTokenCount');
    if (input !== undefined) tally.input = input + (numberIn(usage, 'toolUsePromptTokenCount') ?? 0);
    const output = numberIn(usage, 'candidatesTokenCount');
    const thoughts = numberIn(usage, 'thoughtsTokenCount');
    if (output !== undefined || thoughts !== undefined) tally.output = (output ?? 0) + (thoughts ?? 0);
    tally.cached = numberIn(usage, 'cachedContentTokenCount') ?? tally.cached;
  },
};

function recordIn(holder: unknown, name: string): Record<string, unknown> {
  const value = isRecord(holder) ? holder[name] : undefined;
  return isRecord(value) ? value : {};
}

/** Returns a number of tokens; undefined for one that cannot be true, so that an estimate counts. */
function numberIn(holder: Record<string, unknown>, name: string): number | undefined {
  const value = holder[name];
  return typeof value === 'number' && value >= 0 && value <= maxTokens ? Math.round(value) : undefined;
}

function lengthOf(tally: Tally, ...texts: unknown[]): number {
  let length = 0;
  for (const text of texts) if (typeof text === 'string') length += tally.lengthOf(text);
  return length;
}
