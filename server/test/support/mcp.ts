import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The result of a tool; `error` is `''` unless the API refused. */
export interface ToolAnswer {
  error: string;
  message: string;
  text: string;
  structured: Record<string, unknown>;
}

export interface McpClient {
  client: Client;
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/**
 * Connects the SDK's own client to `/mcp`, with a key or a tool token. It validates the results of tools by their
 * schemas.
 */
export async function connect(url: string, key: string): Promise<McpClient> {
  const client = new Client({ name: 'guildhall test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  // The client knows the tools' schemas once it has listed them.
  await client.listTools();
  return {
    client,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

/** Reads a result of the client, in any of its shapes. */
export function answerOf(result: Awaited<ReturnType<Client['callTool']>>): ToolAnswer {
  const content: unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const text = content.map((part) => String(Object(part).text)).join('\n');
  const refused: unknown = result['isError'] === true ? JSON.parse(text) : {};
  const structured: unknown = result['structuredContent'] ?? {};
  return {
    error: String(Object(refused).error ?? ''),
    message: String(Object(refused).message ?? ''),
    text,
    structured: { ...Object(structured) },
  };
}
