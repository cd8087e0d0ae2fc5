import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel, ModelMessage, ProviderMetadata, SystemModelMessage } from 'ai';
import { EventData } from '../../../lib/event-data.ts';
import { excessOf } from '../../../lib/json-limits.ts';
import { pace } from '../../../lib/pace.ts';
import type { AgentModel } from '../port.ts';

/** A model to call, with its provider's options for each call. */
export interface CallableModel {
  /** `<provider>/<name>`. */
  id: string;
  languageModel: LanguageModel;
  providerOptions: Record<string, ProviderMetadata[string]> | undefined;
  /** Default output limit; undefined leaves it to the provider. */
  maxOutputTokens: number | undefined;
  /** True if it accepts images as tool results. */
  acceptsImages: boolean;
  /** Arranges instructions and messages for the provider's prompt cache. */
  arrange(instructions: string, messages: ModelMessage[]): { system: SystemModelMessage[]; messages: ModelMessage[] };
}

/** Placeholder; the gateway adds the real key. */
const apiKey = 'in-the-gateway';
/** Above the SDK's default for an unknown Anthropic model; it lowers the value for known ones. */
const anthropicOutputTokens = 32_000;

/** Connects to a model through the gateway. */
export function connectModel(model: AgentModel): CallableModel {
  const { provider, kind, name, url } = model;
  const common = { apiKey, fetch: fetchThrough(model.headers) };
  const id = `${provider}/${name}`;
  const plain = {
    id,
    acceptsImages: true,
    providerOptions: undefined,
    maxOutputTokens: undefined,
    arrange: arrangePlainly,
  };
  switch (kind) {
    case 'anthropic': {
      const languageModel = createAnthropic({ ...common, baseURL: `${url}/v1` })(name);
      return { ...plain, languageModel, maxOutputTokens: anthropicOutputTokens, arrange: arrangeCached };
    }
    case 'openai': {
      const languageModel = createOpenAI({ ...common, baseURL: `${url}/v1` }).responses(name);
      // The provider stores nothing: the SDK requests encrypted reasoning and sends it back.
      return { ...plain, languageModel, providerOptions: { openai: { store: false } } };
    }
    case 'google':
      return { ...plain, languageModel: createGoogle({ ...common, baseURL: `${url}/v1beta` })(name) };
    case 'openai_compatible': {
      const options = { ...common, name: 'openai-compatible', baseURL: `${url}/v1`, includeUsage: true };
      // This format allows only text in tool results.
      return { ...plain, acceptsImages: false, languageModel: createOpenAICompatible(options)(name) };
    }
  }
}

/** Replaces the SDK's headers with the gateway's, regardless of case. */
function fetchThrough(headers: Record<string, string>): typeof fetch {
  return async (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const answer = await fetch(input, { ...init, headers: all, redirect: 'error' });
    if (!answer.ok || answer.body === null) return answer;
    return new Response(answer.body.pipeThrough(onlyData()), { status: answer.status, headers: answer.headers });
  };
}

/** Limits for one event of an answer, so that it is parsed quickly. */
const maxEventBytes = 2 * 1_048_576;
const eventLimits = { values: 50_000, depth: 500 };

/** Passes only the events' data: the other fields are unbounded and chosen by the provider. */
function onlyData(): TransformStream<Uint8Array, Uint8Array> {
  const events = new EventData();
  return new TransformStream({
    async transform(chunk, passed) {
      await pace();
      for (const data of events.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
        if (data.length === 0) continue;
        if (excessOf(data, eventLimits) !== undefined)
          throw new Error('an event of the answer contains too many values');
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
 * Sets Anthropic's cache breakpoints: after the instructions, after the last message, and before the last answer, where the
 * previous call ended.
 */
function arrangeCached(instructions: string, messages: ModelMessage[]) {
  const system: SystemModelMessage[] = [{ role: 'system', content: instructions, providerOptions: cached }];
  const previous = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  const marked = messages.map((message, index) =>
    index === messages.length - 1 || index === previous ? { ...message, providerOptions: cached } : message,
  );
  return { system, messages: marked };
}
