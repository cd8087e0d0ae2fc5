import { checkResults, RequestError, type Conversation, type Turn } from './conversation.ts';
import { contentText, number, object, objects, string, type JsonObject } from './json.ts';
import { argumentDeltas, textDeltas, type Reply } from './reply.ts';
import { frame, openAiError, type Frame, type Wire } from './wire.ts';

/** OpenAI chat completions; reasoning is in `reasoning_content`, as in servers with this format. */
export const chat: Wire = { read, answer, stream, error: openAiError };

const finishReasons = { end: 'stop', calls: 'tool_calls', length: 'length' } as const;

function read(body: JsonObject): Conversation {
  if (!Array.isArray(body['messages'])) throw new RequestError("Missing required parameter: 'messages'.");
  const turns = objects(body['messages']).flatMap((message) => readMessage(message) ?? []);
  checkResults(turns);
  return {
    model: string(body['model']),
    turns,
    tools: (body['tool_choice'] === 'none' ? [] : objects(body['tools'])).map((tool) => {
      const { name, parameters } = object(tool['function']);
      return { name: string(name), schema: object(parameters) };
    }),
    maxTokens: number(body['max_completion_tokens']) ?? number(body['max_tokens']),
    stream: body['stream'] === true,
    includeUsage: object(body['stream_options'])['include_usage'] === true,
  };
}

function readMessage(message: JsonObject): Turn | undefined {
  const text = contentText(message['content']);
  switch (message['role']) {
    case 'user':
      return { role: 'user', text, calls: [], results: [], marks: [] };
    case 'tool':
      return { role: 'user', text: '', calls: [], results: [string(message['tool_call_id'])], marks: [] };
    case 'assistant': {
      const calls = objects(message['tool_calls']).map((call) => string(call['id']));
      return { role: 'assistant', text, calls, results: [], marks: calls };
    }
    default:
      return undefined;
  }
}

function answer(reply: Reply, conversation: Conversation): JsonObject {
  const message = {
    role: 'assistant',
    content: reply.words.length === 0 && reply.calls.length > 0 ? null : [...textDeltas(reply)].join(''),
    refusal: null,
    ...(reply.think.length > 0 ? { reasoning_content: reply.think.join('') } : {}),
    ...(reply.calls.length > 0
      ? { tool_calls: reply.calls.map((call) => toolCall(call.mark, call.name, call.input)) }
      : {}),
  };
  return {
    ...head(reply, conversation, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[reply.stop] }],
    usage: usageOf(reply),
  };
}

function* stream(reply: Reply, conversation: Conversation): Iterable<Frame> {
  const shared = head(reply, conversation, 'chat.completion.chunk');
  const usage = conversation.includeUsage ? { usage: null } : {};
  const chunk = (delta: JsonObject, kind?: 'text' | 'call', reason: string | null = null): Frame => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
    return frame({ ...shared, choices, ...usage }, { delta: kind });
  };

  yield chunk({ role: 'assistant', content: '', refusal: null });
  for (const word of reply.think) yield chunk({ reasoning_content: word }, 'text');
  for (const word of textDeltas(reply)) yield chunk({ content: word }, 'text');
  for (const [index, call] of reply.calls.entries()) {
    const { id, type, function: named } = toolCall(call.mark, call.name, '');
    yield chunk({ tool_calls: [{ index, id, type, function: { ...named, arguments: '' } }] });
    for (const piece of argumentDeltas(call)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, 'call');
    }
  }
  yield chunk({}, undefined, finishReasons[reply.stop]);
  if (conversation.includeUsage) yield frame({ ...shared, choices: [], usage: usageOf(reply) });
  yield { data: 'data: [DONE]\n\n' };
}

function head(reply: Reply, { model }: Conversation, kind: string): JsonObject {
  const created = Math.floor(Date.now() / 1_000);
  return {
    id: `chatcmpl-${reply.mark}`,
    object: kind,
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'scripted',
  };
}

function toolCall(mark: string, name: string, input: unknown) {
  return { id: `call_${mark}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function usageOf({ usage }: Reply): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  };
}
