import { checkResults, RequestError, type Conversation, type Turn } from './conversation.ts';
import { list, number, object, objects, string, type JsonObject } from './json.ts';
import { textDeltas, type Reply } from './reply.ts';
import { frame, type ApiError, type Frame, type Wire } from './wire.ts';

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Wire = { read, answer, stream, error };

/** The parts of a request's path. */
export const geminiPath = /^\/v1(?:beta|alpha)?\/models\/([^:]+):(generateContent|streamGenerateContent)$/;

const finishReasons = { end: 'STOP', calls: 'STOP', length: 'MAX_TOKENS' } as const;

function read(body: JsonObject, url: URL): Conversation {
  const [, model = '', method] = geminiPath.exec(url.pathname) ?? [];
  const isStream = method === 'streamGenerateContent';
  if (isStream && url.searchParams.get('alt') !== 'sse')
    throw new RequestError('This server streams with alt=sse only.');
  if (list(body['contents']).length === 0) throw new RequestError('contents is not specified');
  const turns = objects(body['contents']).map((content) => readContent(content));
  checkResults(turns);
  const calling = object(object(body['toolConfig'])['functionCallingConfig'])['mode'];
  const tools = calling === 'NONE' ? [] : objects(body['tools']);
  return {
    model: decodeURIComponent(model),
    turns,
    tools: tools.flatMap((tool) =>
      objects(tool['functionDeclarations']).map(({ name, parameters, parametersJsonSchema }) => ({
        name: string(name),
        schema: object(parametersJsonSchema ?? parameters),
      })),
    ),
    maxTokens: number(object(body['generationConfig'])['maxOutputTokens']),
    stream: isStream,
  };
}

/**
 * Reads a content. Calls need no id in this API and are answered by name; the signature of a call, which clients must
 * send back, is its mark.
 */
function readContent(content: JsonObject): Turn {
  const parts = objects(content['parts']);
  const calls = parts.filter((part) => 'functionCall' in part);
  const results = parts.filter((part) => 'functionResponse' in part);
  return {
    role: content['role'] === 'model' ? 'assistant' : 'user',
    text: parts.flatMap((part) => (part['thought'] === true ? [] : string(part['text']) || [])).join('\n'),
    calls: calls.map((part) => string(object(part['functionCall'])['name'])),
    results: results.map((part) => string(object(part['functionResponse'])['name'])),
    marks: calls.map((part) => Buffer.from(string(part['thoughtSignature']), 'base64').toString()),
  };
}

function answer(reply: Reply, conversation: Conversation): JsonObject {
  const parts = [...thoughts(reply.think.join('')), ...texts([...textDeltas(reply)].join('')), ...callParts(reply)];
  return chunk(reply, conversation, parts, true);
}

function* stream(reply: Reply, conversation: Conversation): Iterable<Frame> {
  for (const word of reply.think) yield frame(chunk(reply, conversation, thoughts(word), false), { delta: 'text' });
  for (const word of textDeltas(reply)) yield frame(chunk(reply, conversation, texts(word), false), { delta: 'text' });
  for (const part of callParts(reply)) yield frame(chunk(reply, conversation, [part], false), { delta: 'call' });
  yield frame(chunk(reply, conversation, [{ text: '' }], true));
}

function thoughts(text: string): JsonObject[] {
  return text === '' ? [] : [{ text, thought: true }];
}

function texts(text: string): JsonObject[] {
  return text === '' ? [] : [{ text }];
}

function callParts({ calls }: Reply): JsonObject[] {
  return calls.map(({ mark, name, input }) => ({
    functionCall: { name, args: input },
    thoughtSignature: Buffer.from(`call_${mark}`).toString('base64'),
  }));
}

function chunk(reply: Reply, { model }: Conversation, parts: JsonObject[], isLast: boolean): JsonObject {
  const { usage } = reply;
  const candidate = { content: { role: 'model', parts }, index: 0 };
  return {
    candidates: [isLast ? { ...candidate, finishReason: finishReasons[reply.stop] } : candidate],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      totalTokenCount: usage.input + (isLast ? usage.output : 0),
      ...(isLast ? { candidatesTokenCount: usage.output - usage.reasoning, thoughtsTokenCount: usage.reasoning } : {}),
    },
    modelVersion: model,
    responseId: `resp_${reply.mark}`,
  };
}

function error({ status, message, retryAfter }: ApiError): JsonObject {
  const names: Record<number, string> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  };
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` };
  const details = retryAfter === undefined ? [] : [retry];
  return { error: { code: status, message, status: names[status] ?? 'INTERNAL', details } };
}
