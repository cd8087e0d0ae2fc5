import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type Content, type GenerateContentResponse, type Part } from '@google/genai';
import OpenAI from 'openai';

/** A model's answer in the same form for every API. */
export interface Answer {
  text: string;
  think: string;
  calls: { id: string; name: string; input: unknown }[];
  stop: string;
  usage: { input: number; output: number; cached: number };
}

export interface AskOptions {
  stream: boolean;
  maxTokens?: number;
  signal?: AbortSignal;
  /** False for a model without tools. */
  tools?: boolean;
}

/** A conversation through a service's own client, which keeps the messages as that client returns them. */
export interface Talk {
  say(text: string): void;
  /** Results of the calls; "ok" by default. */
  ask(options: AskOptions): Promise<Answer>;
  leaveUnanswered(): void;
}

const schemas = {
  bash: { command: { type: 'string' } },
  write_file: { file_path: { type: 'string' }, content: { type: 'string' } },
} as const;
const tools = Object.entries(schemas).map(([name, properties]) => ({
  name,
  schema: { type: 'object' as const, properties, required: Object.keys(properties) },
}));

/** Conversations over each API, with its vendor's own client. */
export const talks: Record<'chat' | 'responses' | 'messages' | 'gemini', (url: string) => Talk> = {
  chat: talkChat,
  responses: talkResponses,
  messages: talkMessages,
  gemini: talkGemini,
};

function history<Message>() {
  const messages: Message[] = [];
  let answering = true;
  return {
    all: () => messages,
    add: (...added: Message[]) => void messages.push(...added),
    answer: (results: () => Message[]) => void (answering && messages.push(...results())),
    leaveUnanswered: () => void (answering = false),
  };
}

function talkChat(url: string): Talk {
  const client = new OpenAI({ apiKey: 'unused', baseURL: `${url}/v1`, maxRetries: 0 });
  const messages = history<OpenAI.Chat.ChatCompletionMessageParam>();
  const offered = tools.map(({ name, schema }) => ({
    type: 'function' as const,
    function: { name, parameters: schema },
  }));
  return {
    ...messages,
    say: (content) => messages.add({ role: 'user', content }),
    ask: async ({ stream, maxTokens, signal, tools: withTools = true }) => {
      const body = {
        model: 'm',
        messages: messages.all(),
        tools: withTools ? offered : undefined,
        max_completion_tokens: maxTokens,
      };
      const streamed = () =>
        client.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } }, { signal })
          // The client does not support reasoning in this API and keeps only its last delta.
          .on('chunk', ({ choices: [chunk] }) => (think += reasoning(chunk?.delta)))
          .finalChatCompletion();
      let think = '';
      const completion = stream ? await streamed() : await client.chat.completions.create(body, { signal });
      const [choice] = completion.choices;
      if (choice === undefined) throw new Error('no choice');
      const calls = (choice.message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function' ? [{ id: call.id, name: call.function.name, input: call.function.arguments }] : [],
      );
      messages.add(choice.message);
      messages.answer(() => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })));
      const { usage } = completion;
      return {
        text: choice.message.content ?? '',
        think: stream ? think : reasoning(choice.message),
        calls: calls.map((call) => ({ ...call, input: JSON.parse(call.input) })),
        stop: choice.finish_reason,
        usage: {
          input: usage?.prompt_tokens ?? -1,
          output: usage?.completion_tokens ?? -1,
          cached: usage?.prompt_tokens_details?.cached_tokens ?? -1,
        },
      };
    },
  };
}

function reasoning(message: object | undefined): string {
  return message !== undefined && 'reasoning_content' in message ? String(message.reasoning_content) : '';
}

function talkResponses(url: string): Talk {
  const client = new OpenAI({ apiKey: 'unused', baseURL: `${url}/v1`, maxRetries: 0 });
  const items = history<OpenAI.Responses.ResponseInputItem>();
  const offered = tools.map(({ name, schema }) => ({
    type: 'function' as const,
    name,
    parameters: schema,
    strict: false,
  }));
  return {
    ...items,
    say: (content) => items.add({ role: 'user', content }),
    ask: async ({ stream, maxTokens, signal, tools: withTools = true }) => {
      const body = {
        model: 'm',
        input: items.all(),
        tools: withTools ? offered : undefined,
        max_output_tokens: maxTokens,
      };
      const response = stream
        ? await client.responses.stream(body, { signal }).finalResponse()
        : await client.responses.create(body, { signal });
      const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      for (const item of response.output) {
        if (item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call') items.add(item);
      }
      items.answer(() => calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'ok' })));
      return {
        text: response.output_text,
        think: response.output
          .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
          .map(({ text }) => text)
          .join(''),
        calls: calls.map((call) => ({ id: call.call_id, name: call.name, input: JSON.parse(call.arguments) })),
        stop: response.incomplete_details?.reason ?? response.status ?? '',
        usage: {
          input: response.usage?.input_tokens ?? -1,
          output: response.usage?.output_tokens ?? -1,
          cached: response.usage?.input_tokens_details.cached_tokens ?? -1,
        },
      };
    },
  };
}

function talkMessages(url: string): Talk {
  const client = new Anthropic({ apiKey: 'unused', baseURL: url, maxRetries: 0 });
  const messages = history<Anthropic.MessageParam>();
  const offered = tools.map(({ name, schema }) => ({ name, input_schema: schema }));
  return {
    ...messages,
    say: (content) => messages.add({ role: 'user', content }),
    ask: async ({ stream, maxTokens = 4_000, signal, tools: withTools = true }) => {
      const body = {
        model: 'm',
        messages: messages.all(),
        max_tokens: maxTokens,
        ...(withTools ? { tools: offered } : {}),
      };
      const message = stream
        ? await client.messages.stream(body, { signal }).finalMessage()
        : await client.messages.create(body, { signal });
      const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      if (message.content.length > 0) messages.add({ role: 'assistant', content: message.content });
      const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'ok' }));
      messages.answer(() => (results.length > 0 ? [{ role: 'user', content: results }] : []));
      const { usage } = message;
      return {
        text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        think: message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
        calls: calls.map(({ id, name, input }) => ({ id, name, input })),
        stop: message.stop_reason ?? '',
        usage: {
          input: usage.input_tokens + (usage.cache_read_input_tokens ?? -1),
          output: usage.output_tokens,
          cached: usage.cache_read_input_tokens ?? -1,
        },
      };
    },
  };
}

function talkGemini(url: string): Talk {
  const client = new GoogleGenAI({ apiKey: 'unused', httpOptions: { baseUrl: url } });
  const contents = history<Content>();
  const offered = tools.map(({ name, schema }) => ({ name, parametersJsonSchema: schema }));
  return {
    ...contents,
    say: (text) => contents.add({ role: 'user', parts: [{ text }] }),
    ask: async ({ stream, maxTokens, signal, tools: withTools = true }) => {
      const request = {
        model: 'm',
        contents: contents.all(),
        config: {
          maxOutputTokens: maxTokens,
          abortSignal: signal,
          ...(withTools ? { tools: [{ functionDeclarations: offered }] } : {}),
        },
      };
      const chunks: GenerateContentResponse[] = [];
      if (stream) {
        for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
      } else chunks.push(await client.models.generateContent(request));
      const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      contents.add({ role: 'model', parts });
      const results: Part[] = calls.map(({ name }) => ({ functionResponse: { name, response: { output: 'ok' } } }));
      contents.answer(() => (results.length > 0 ? [{ role: 'user', parts: results }] : []));
      const { usageMetadata } = chunks.at(-1) ?? {};
      return {
        text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
        think: parts.map((part) => (part.thought ? (part.text ?? '') : '')).join(''),
        calls: calls.map(({ id = '', name = '', args }) => ({ id, name, input: args })),
        stop: chunks.at(-1)?.candidates?.[0]?.finishReason ?? '',
        usage: {
          input: usageMetadata?.promptTokenCount ?? -1,
          output: (usageMetadata?.candidatesTokenCount ?? -1) + (usageMetadata?.thoughtsTokenCount ?? -1),
          cached: usageMetadata?.cachedContentTokenCount ?? -1,
        },
      };
    },
  };
}
