import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { chat } from './chat.ts';
import { RequestError, TextError, type Conversation } from './conversation.ts';
import { Exchange, sendError, sendJson, type Played } from './exchange.ts';
import { FaultCounter } from './faults.ts';
import { gemini, geminiPath } from './gemini.ts';
import { isObject, number, parse, type JsonObject } from './json.ts';
import { messages } from './messages.ts';
import { playStep, sayText } from './reply.ts';
import { responses } from './responses.ts';
import { findPosition, type Position } from './script.ts';
import type { Api, Wire } from './wire.ts';

export interface ScriptedModel {
  /** Without a trailing slash; the APIs' own paths follow, with their version. */
  readonly url: string;
  /** The last valid requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Stops the server and breaks open connections. */
  close(): Promise<void>;
}

export interface RecordedRequest {
  api: Api;
  model: string;
  headers: IncomingHttpHeaders;
  /** As received. */
  body: JsonObject;
  /** Milliseconds since 1970. */
  at: number;
  /** The step it found in the script; undefined without a script. */
  step: { script: string; index: number } | undefined;
}

const wires: Record<Api, Wire> = { chat, responses, messages, gemini };
const paths: Record<string, Api> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
};

/**
 * Starts a server on the loopback interface that plays the script in each conversation. `port` 0 is any free port;
 * `keepRequests` is the number of requests kept for inspection, 1000 by default.
 */
export async function startScriptedModel(
  options: { port?: number; keepRequests?: number } = {},
): Promise<ScriptedModel> {
  const { port = 0, keepRequests = 1_000 } = options;
  const requests: RecordedRequest[] = [];
  const faults = new FaultCounter();
  const record = (request: RecordedRequest) => {
    requests.push(request);
    if (requests.length > keepRequests) requests.shift();
  };
  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, (request, response) => {
    respond(request, response, faults, record).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${isObject(address) ? number(address['port']) : port}`,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  faults: FaultCounter,
  record: (request: RecordedRequest) => void,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const api = paths[url.pathname] ?? (geminiPath.test(url.pathname) ? 'gemini' : undefined);
  const source = await readBody(request);
  if (api === undefined || request.method !== 'POST') {
    return sendJson(response, 404, { error: { message: `No such endpoint: ${request.method} ${url.pathname}` } });
  }
  const wire = wires[api];
  try {
    const body = parse(source);
    if (!isObject(body)) throw new RequestError('The body must be a JSON object');
    const conversation = wire.read(body, url);
    const exchange = new Exchange(wire, conversation, response);
    const played = play(conversation, source.length);
    const step = played.position && { script: played.position.id, index: played.position.step };
    record({ api, model: conversation.model, headers: request.headers, body, at: Date.now(), step });
    await exchange.send(played, faults);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    sendError(response, wire, { status: 400, message: error.message });
  }
}

function play(conversation: Conversation, requestLength: number): Played {
  let position: Position | undefined;
  try {
    position = findPosition(conversation.turns);
    const { tools, turns } = conversation;
    // An agent that has called tools and now offers none wants a summary of the conversation.
    if (position !== undefined && tools.length === 0 && turns.some(({ calls }) => calls.length > 0)) {
      throw new TextError(`Step ${position.step} of the script is next.`);
    }
    if (position !== undefined) {
      return { reply: playStep(position, conversation, requestLength), position, asPlanned: true };
    }
    const asked = turns.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
    throw new TextError(`This conversation has no script. Its last message begins: ${asked.slice(0, 200)}`);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    // A text without tools may be a summary to continue from, so it must keep the script.
    const text = position && conversation.tools.length === 0 ? `${error.message}\n\n${position.block}` : error.message;
    const mark = `none_${Date.now().toString(36)}`;
    return { reply: sayText(mark, text, conversation, requestLength), position, asPlanned: false };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
