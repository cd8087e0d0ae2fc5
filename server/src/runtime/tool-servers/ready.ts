import type { ReadyServer } from '../../features/mcp-servers/service.ts';
import type { ToolServer } from '../../gateway/session.ts';

/** A server by URL as the gateway has it. */
export function gatewayServer({ slug, url, headers, secrets }: ReadyServer): ToolServer {
  return { slug, url, headers, values: [...secrets.values()] };
}

/** Says which secrets there would have to be. */
export function missingText({ missing }: ReadyServer): string {
  return missing.length === 1
    ? `Its secret ${missing.join()} has no value.`
    : `Its secrets ${missing.join(', ')} have no values.`;
}
