import { checkResults, RequestError, type Conversation, type Turn } from './conversation.ts';
import { contentText, number, object, objects, string, type JsonObject } from './json.ts';
import { argumentDeltas, textDeltas, type Reply } from './reply.ts';
import type { MappedCall } from './tools.ts';
import { frame, openAiError, type Frame, type Wire } from './wire.ts';

/** OpenAI Responses. Stateless, so requests must contain the whole conversation; references to items are supported. */
export const responses: Wire = { read, answer, stream, error: openAiError };

function read(body: JsonObject): Conversation {
  if (body['input'] === undefined) throw new RequestError("Missing required parameter: 'input'.");
  if (typeof body['previous_response_id'] === 'string') {
    throw new RequestError(`Previous response with id '${body['previous_response_id']}' not found.`);
  }
  const items = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : objects(body['input']);
  const turns = joinAnswers(items.flatMap((item) => readItem(item) ?? []));
  checkResults(turns);
  return {
    model: string(body['model']),
    turns,
    tools: (body['tool_choice'] === 'none' ? [] : objects(body['tools'])).flatMap(({ type, name, parameters }) =>
      type === 'function' ? [{ name: string(name), schema: object(parameters) }] : [],
    ),
    maxTokens: number(body['max_output_tokens']),
    stream: body['stream'] === true,
  };
}

/**
 * Joins the items of one answer to one turn: clients send a message back without its id, which would count as another.
 */
function joinAnswers(items: Turn[]): Turn[] {
  const turns: Turn[] = [];
  for (const item of items) {
    const last = turns.at(-1);
    if (last?.role !== 'assistant' || item.role !== 'assistant') {
      turns.push(item);
      continue;
    }
    last.text += item.text;
    last.calls.push(...item.calls);
    last.marks.push(...item.marks);
  }
  return turns;
}

function readItem(item: JsonObject): Turn | undefined {
  const turn: Turn = { role: 'assistant', text: '', calls: [], results: [], marks: [string(item['id'])] };
  const callId = string(item['call_id']);
  switch (item['type'] ?? 'message') {
    case 'message':
      if (item['role'] !== 'user' && item['role'] !== 'assistant') return undefined;
      return { ...turn, role: item['role'], text: contentText(item['content']) };
    case 'function_call':
      return { ...turn, calls: [callId], marks: [callId] };
    case 'function_call_output':
      return { ...turn, role: 'user', results: [callId] };
    case 'item_reference': {
      const [, reference] = /^fc_(.*)/.exec(string(item['id'])) ?? [];
      return reference === undefined ? turn : { ...turn, calls: [`call_${reference}`] };
    }
    default:
      return turn;
  }
}

function answer(reply: Reply, conversation: Conversation): JsonObject {
  const text = [...textDeltas(reply)].join('');
  const output = [
    ...(reply.think.length > 0 ? [reasoningItem(reply)] : []),
    ...(reply.words.length > 0 ? [messageItem(reply, text)] : []),
    ...reply.calls.map((call) => callItem(call, JSON.stringify(call.input))),
  ];
  return finished(reply, conversation, output);
}

function* stream(reply: Reply, conversation: Conversation): Iterable<Frame> {
  let number_ = 0;
  const event: Emit = (type, body, delta) =>
    frame({ type, sequence_number: number_++, ...body }, { event: type, delta });
  const output: JsonObject[] = [];

  const begun = response(reply, conversation, 'in_progress', [], null);
  yield event('response.created', { response: begun });
  yield event('response.in_progress', { response: begun });
  if (reply.think.length > 0) output.push(yield* streamReasoning(reply, output.length, event));
  if (reply.words.length > 0) output.push(yield* streamMessage(reply, output.length, event));
  for (const call of reply.calls) output.push(yield* streamCall(call, output.length, event));
  const last = reply.stop === 'length' ? 'response.incomplete' : 'response.completed';
  yield event(last, { response: finished(reply, conversation, output) });
}

type Emit = (type: string, body: JsonObject, delta?: 'text' | 'call') => Frame;

function* streamReasoning(reply: Reply, index: number, event: Emit): Generator<Frame, JsonObject> {
  const item = reasoningItem(reply);
  const at = { item_id: item['id'], output_index: index, summary_index: 0 };
  const text = reply.think.join('');
  yield event('response.output_item.added', { output_index: index, item: { ...item, summary: [] } });
  yield event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
  for (const delta of reply.think) yield event('response.reasoning_summary_text.delta', { ...at, delta }, 'text');
  yield event('response.reasoning_summary_text.done', { ...at, text });
  yield event('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } });
  yield event('response.output_item.done', { output_index: index, item });
  return item;
}

function* streamMessage(reply: Reply, index: number, event: Emit): Generator<Frame, JsonObject> {
  const at = { item_id: `msg_${reply.mark}`, output_index: index, content_index: 0 };
  const begun = { ...messageItem(reply, ''), status: 'in_progress', content: [] };
  yield event('response.output_item.added', { output_index: index, item: begun });
  yield event('response.content_part.added', { ...at, part: textPart('') });
  let text = '';
  for (const delta of textDeltas(reply)) {
    text += delta;
    yield event('response.output_text.delta', { ...at, delta, logprobs: [] }, 'text');
  }
  const item = messageItem(reply, text);
  yield event('response.output_text.done', { ...at, text, logprobs: [] });
  yield event('response.content_part.done', { ...at, part: textPart(text) });
  yield event('response.output_item.done', { output_index: index, item });
  return item;
}

function* streamCall(call: MappedCall, index: number, event: Emit): Generator<Frame, JsonObject> {
  const json = JSON.stringify(call.input);
  const item = callItem(call, json);
  const at = { item_id: item['id'], output_index: index };
  const begun = { ...item, status: 'in_progress', arguments: '' };
  yield event('response.output_item.added', { output_index: index, item: begun });
  for (const delta of argumentDeltas(call)) {
    yield event('response.function_call_arguments.delta', { ...at, delta }, 'call');
  }
  yield event('response.function_call_arguments.done', { ...at, name: call.name, arguments: json });
  yield event('response.output_item.done', { output_index: index, item });
  return item;
}

function reasoningItem({ mark, think }: Reply): JsonObject {
  const summary = [{ type: 'summary_text', text: think.join('') }];
  return { id: `rs_${mark}`, type: 'reasoning', summary, encrypted_content: Buffer.from(mark).toString('base64') };
}

function messageItem({ mark, stop }: Reply, text: string): JsonObject {
  const status = stop === 'length' ? 'incomplete' : 'completed';
  return { id: `msg_${mark}`, type: 'message', role: 'assistant', status, content: [textPart(text)] };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function callItem({ mark, name }: MappedCall, json: string): JsonObject {
  return {
    id: `fc_${mark}`,
    type: 'function_call',
    call_id: `call_${mark}`,
    name,
    arguments: json,
    status: 'completed',
  };
}

function finished(reply: Reply, conversation: Conversation, output: JsonObject[]): JsonObject {
  const { usage, stop } = reply;
  return response(reply, conversation, stop === 'length' ? 'incomplete' : 'completed', output, {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  });
}

function response(
  { mark }: Reply,
  { model, maxTokens }: Conversation,
  status: 'in_progress' | 'completed' | 'incomplete',
  output: JsonObject[],
  usage: JsonObject | null,
): JsonObject {
  return {
    id: `resp_${mark}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    max_output_tokens: maxTokens ?? null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage,
  };
}
