import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What a tool answered; `error` is `''` unless the API refused. */
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

/** The SDK's own client, connected to `/mcp` with a key or a tool token. It checks what tools answer by their schemas. */
export async function connect(url: string, key: string): Promise<McpClient> {
  const client = new Client({ name: 'guildhall test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  // The client knows what a tool is to answer once it has listed them.
  await client.listTools();
  return {
    client,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

/** What a result of the client's says, whichever of its shapes it has. */
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
