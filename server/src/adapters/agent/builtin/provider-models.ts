import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel, ModelMessage, ProviderMetadata, SystemModelMessage } from 'ai';
import { EventData } from '../../../lib/event-data.ts';
import { excessOf } from '../../../lib/json-limits.ts';
import { pace } from '../../../lib/pace.ts';
import type { AgentModel } from '../port.ts';

/** A model that can be called, and what its provider wants of every call. */
export interface CallableModel {
  /** `<provider>/<name>`. */
  id: string;
  languageModel: LanguageModel;
  providerOptions: Record<string, ProviderMetadata[string]> | undefined;
  /** The most an answer may have when the agent's settings say nothing; undefined leaves it to the provider. */
  maxOutputTokens: number | undefined;
  /** True if it accepts images as tool results. */
  sees: boolean;
  /** Puts the instructions and the messages into the shape that makes the provider's prompt cache work. */
  arrange(instructions: string, messages: ModelMessage[]): { system: SystemModelMessage[]; messages: ModelMessage[] };
}

/** The gateway puts the real one in its place. */
const apiKey = 'in-the-gateway';
/** Above what the SDK takes for a model of Anthropic that it does not know; it lowers this for those it knows. */
const anthropicOutputTokens = 32_000;

/** The way to call a model through the gateway. */
export function connectModel(model: AgentModel): CallableModel {
  const { provider, kind, name, url } = model;
  const common = { apiKey, fetch: fetchThrough(model.headers) };
  const id = `${provider}/${name}`;
  const plain = { id, sees: true, providerOptions: undefined, maxOutputTokens: undefined, arrange: arrangePlainly };
  switch (kind) {
    case 'anthropic': {
      const languageModel = createAnthropic({ ...common, baseURL: `${url}/v1` })(name);
      return { ...plain, languageModel, maxOutputTokens: anthropicOutputTokens, arrange: arrangeCached };
    }
    case 'openai': {
      const languageModel = createOpenAI({ ...common, baseURL: `${url}/v1` }).responses(name);
      // Nothing is kept at the provider's: the SDK asks for the reasoning in encrypted form and sends it back.
      return { ...plain, languageModel, providerOptions: { openai: { store: false } } };
    }
    case 'google':
      return { ...plain, languageModel: createGoogle({ ...common, baseURL: `${url}/v1beta` })(name) };
    case 'openai_compatible': {
      const options = { ...common, name: 'openai-compatible', baseURL: `${url}/v1`, includeUsage: true };
      // The format has texts alone for what a tool answers.
      return { ...plain, sees: false, languageModel: createOpenAICompatible(options)(name) };
    }
  }
}

/** The gateway's headers replace what the SDK would send, whatever the letters' case. */
function fetchThrough(headers: Record<string, string>): typeof fetch {
  return async (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const answer = await fetch(input, { ...init, headers: all, redirect: 'error' });
    if (!answer.ok || answer.body === null) return answer;
    return new Response(answer.body.pipeThrough(onlyData()), { status: answer.status, headers: answer.headers });
  };
}

/** No event of an answer has more, and in these it is parsed in a moment. */
const maxEventBytes = 2 * 1_048_576;
const eventLimits = { values: 50_000, depth: 500 };

/** Of events their data alone: whoever answers chooses what else there is, and how much of it has to be looked at. */
function onlyData(): TransformStream<Uint8Array, Uint8Array> {
  const events = new EventData();
  return new TransformStream({
    async transform(chunk, passed) {
      await pace();
      for (const data of events.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
        if (data.length === 0) continue;
        if (excessOf(data, eventLimits) !== undefined) throw new Error('an event of the answer holds too many values');
        passed.enqueue(Buffer.from(`data: ${data.toString().replaceAll('\n', '\ndata: ')}\n\n`));
      }
      if (events.heldBytes > maxEventBytes) throw new Error('an event of the answer is longer than 2 MiB');
    },
  });
}

function arrangePlainly(instructions: string, messages: ModelMessage[]) {
  const system: SystemModelMessage[] = [{ role: 'system', content: instructions }];
  return { system, messages };
}

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Anthropic caches up to marked places: the instructions, the last message, and the one before the last answer, which
 * is where the call before this one ended.
 */
function arrangeCached(instructions: string, messages: ModelMessage[]) {
  const system: SystemModelMessage[] = [{ role: 'system', content: instructions, providerOptions: cached }];
  const previous = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  const marked = messages.map((message, index) =>
    index === messages.length - 1 || index === previous ? { ...message, providerOptions: cached } : message,
  );
  return { system, messages: marked };
}
