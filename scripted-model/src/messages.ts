import { checkResults, RequestError, type Conversation, type Turn } from './conversation.ts';
import { contentText, number, object, objects, string, type JsonObject } from './json.ts';
import { argumentDeltas, textDeltas, type Reply } from './reply.ts';
import { frame, type ApiError, type Frame, type Wire } from './wire.ts';

/** Anthropic messages. */
export const messages: Wire = { read, answer, stream, error };

const stopReasons = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens' } as const;

function read(body: JsonObject): Conversation {
  if (!Array.isArray(body['messages'])) throw new RequestError('messages: Field required');
  const maxTokens = number(body['max_tokens']);
  if (maxTokens === undefined) throw new RequestError('max_tokens: Field required');
  const turns = objects(body['messages']).map((message, index) => readMessage(message, index));
  if (turns[0]?.role !== 'user') throw new RequestError('messages: first message must use the "user" role');
  checkResults(turns);
  const tools = object(body['tool_choice'])['type'] === 'none' ? [] : objects(body['tools']);
  return {
    model: string(body['model']),
    turns,
    tools: tools.map((tool) => ({ name: string(tool['name']), schema: object(tool['input_schema']) })),
    maxTokens,
    stream: body['stream'] === true,
  };
}

function readMessage(message: JsonObject, index: number): Turn {
  const blocks = objects(message['content']);
  if (message['content'] === '' || blocks.some((block) => block['type'] === 'text' && block['text'] === '')) {
    throw new RequestError(`messages.${index}: text content blocks must be non-empty`);
  }
  const calls = idsOf(blocks, 'tool_use', 'id');
  return {
    role: message['role'] === 'assistant' ? 'assistant' : 'user',
    text: contentText(message['content']),
    calls,
    results: idsOf(blocks, 'tool_result', 'tool_use_id'),
    marks: calls,
  };
}

function idsOf(blocks: JsonObject[], type: string, key: string): string[] {
  return blocks.filter((block) => block['type'] === type).map((block) => string(block[key]));
}

function answer(reply: Reply, conversation: Conversation): JsonObject {
  const content: JsonObject[] = [];
  if (reply.think.length > 0)
    content.push({ type: 'thinking', thinking: reply.think.join(''), signature: signature(reply) });
  if (reply.words.length > 0) content.push({ type: 'text', text: [...textDeltas(reply)].join(''), citations: null });
  for (const { mark, name, input } of reply.calls) content.push({ type: 'tool_use', id: `call_${mark}`, name, input });
  return {
    ...head(reply, conversation),
    content,
    stop_reason: stopReasons[reply.stop],
    usage: usageOf(reply, reply.usage.output),
  };
}

function* stream(reply: Reply, conversation: Conversation): Iterable<Frame> {
  const event = (type: string, body: JsonObject, delta?: 'text' | 'call'): Frame =>
    frame({ type, ...body }, { event: type, delta });
  let index = -1;
  const begin = (block: JsonObject) => event('content_block_start', { index: ++index, content_block: block });
  const deltaOf = (type: string, body: JsonObject, kind?: 'text' | 'call') =>
    event('content_block_delta', { index, delta: { type, ...body } }, kind);
  const end = () => event('content_block_stop', { index });

  yield event('message_start', { message: { ...head(reply, conversation), usage: usageOf(reply, 1) } });
  yield event('ping', {});
  if (reply.think.length > 0) {
    yield begin({ type: 'thinking', thinking: '', signature: '' });
    for (const thinking of reply.think) yield deltaOf('thinking_delta', { thinking }, 'text');
    yield deltaOf('signature_delta', { signature: signature(reply) });
    yield end();
  }
  if (reply.words.length > 0) {
    yield begin({ type: 'text', text: '' });
    for (const text of textDeltas(reply)) yield deltaOf('text_delta', { text }, 'text');
    yield end();
  }
  for (const call of reply.calls) {
    yield begin({ type: 'tool_use', id: `call_${call.mark}`, name: call.name, input: {} });
    for (const piece of argumentDeltas(call)) yield deltaOf('input_json_delta', { partial_json: piece }, 'call');
    yield end();
  }
  yield event('message_delta', {
    delta: { stop_reason: stopReasons[reply.stop], stop_sequence: null },
    usage: usageOf(reply, reply.usage.output),
  });
  yield event('message_stop', {});
}

function head({ mark }: Reply, { model }: Conversation): JsonObject {
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return { id: `msg_${mark}`, type: 'message', role: 'assistant', model, ...empty };
}

function signature({ mark }: Reply): string {
  return Buffer.from(`think_${mark}`).toString('base64');
}

/** `input_tokens` do not include cached ones. */
function usageOf({ usage }: Reply, output: number): JsonObject {
  return {
    input_tokens: Math.max(0, usage.input - usage.cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: output,
    service_tier: 'standard',
  };
}

function error({ status, message }: ApiError): JsonObject {
  const types: Record<number, string> = {
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: null };
}
