import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { AuthenticatedCaller } from '../../caller.ts';
import { AppError, statusOf } from '../../lib/errors.ts';
import { FieldError } from '../../lib/field-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Tool, ToolCall } from './tool.ts';

/** An authenticated message of a client. */
export interface Exchange {
  caller: AuthenticatedCaller;
  tools: readonly Tool[];
  log: Log;
  url: string;
  headers: Headers;
  body: unknown;
  /** Called for a tool call that the caller may not make. */
  denied(code: string): void;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
}

const info = { name: 'guildhall', title: 'Guildhall', version: '0.1.0' };
const instructions =
  'Guildhall runs software-engineering agents on repositories of your organization. Start one with create_session, ' +
  'follow it with get_session and wait_seconds, steer it with send_message. Its result is a change request with the ' +
  'evidence of its check.';

/**
 * Responds to one message over streamable HTTP. Keeps no state, so that every API process can respond to every message;
 * each message is authenticated by its own key.
 */
export async function answerMessage(exchange: Exchange): Promise<Response> {
  const { url, headers, body, gone, log } = exchange;
  const { server } = new McpServer(info, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: exchange.tools.map(({ listing }) => listing) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const { name, arguments: input = {}, _meta: meta } = params;
    const progressToken = meta?.progressToken;
    return callTool(exchange, name, input, {
      signal,
      report: async (progress, total, message) => {
        if (progressToken !== undefined)
          await sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total, message },
          });
      },
    });
  });
  server.onerror = (error) => log.debug({ err: error }, 'a message at /mcp failed');
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  gone.addEventListener('abort', () => void server.close(), { once: true });
  return transport.handleRequest(new Request(url, { method: 'POST', headers }), { parsedBody: body });
}

/** Runs a tool. Errors of the API are results of the tool, which the model can read and act on. */
async function callTool(
  { tools, caller, log, denied }: Exchange,
  name: string,
  input: unknown,
  call: ToolCall,
): Promise<CallToolResult> {
  const tool = tools.find(({ listing }) => listing.name === name);
  if (tool === undefined)
    throw new McpError(ErrorCode.InvalidParams, `The tool ${JSON.stringify(name)} does not exist.`);
  try {
    const { structured, text } = await tool.run(caller, input, call);
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    if (call.signal.aborted) throw error;
    if (error instanceof AppError) {
      if (statusOf(error.code) === 403) denied(error.code);
      return refusal(error.code, error instanceof FieldError ? error.messageWith(tool.name) : error.message);
    }
    log.error({ err: error, tool: name, request_id: caller.request.id }, 'a tool failed');
    return refusal('internal_error', `Internal error. Search the server log for ${caller.request.id}.`);
  }
}

function refusal(error: string, message: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error, message }) }] };
}
