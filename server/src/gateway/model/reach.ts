import { isRecord } from '../../lib/record.ts';
import type { WireFormat } from './path.ts';

/**
 * Returns the reason why a request makes the provider fetch URLs or run tools on its own machines, which would bypass the proxy
 * of a sandbox with a restricted network. Undefined when the provider only generates. Tools that the client runs are known by
 * name; any other tool counts as the provider's.
 */
export function reachOf(format: WireFormat, body: Record<string, unknown>): string | undefined {
  for (const name of ['mcp_servers', 'container', 'web_search_options', 'plugins'])
    if (body[name] !== undefined && body[name] !== null) return name;
  const tool = listOf(body['tools']).find((candidate) => !isClientTool(format, candidate));
  if (tool !== undefined) return `the tool ${nameOf(format, tool)}`;
  for (const holder of [body['messages'], body['input'], body['contents'], body['system'], body['systemInstruction']])
    if (holdsAddress(holder)) return 'a URL to fetch';
  return undefined;
}

const clientTools: Record<Exclude<WireFormat, 'contents'>, RegExp> = {
  messages: /^(?:custom|(?:bash|text_editor|computer|memory)_\d+)$/,
  responses: /^(?:function|custom|local_shell|apply_patch)$/,
  chat: /^(?:function|custom)$/,
};

function isClientTool(format: WireFormat, tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  if (format === 'contents')
    return Object.keys(tool).every((name) => name === 'functionDeclarations' || name === 'function_declarations');
  const { type = format === 'messages' ? 'custom' : undefined } = tool;
  if (type === 'namespace') return listOf(tool['tools']).every((inner) => isClientTool(format, inner));
  return typeof type === 'string' && clientTools[format].test(type);
}

function nameOf(format: WireFormat, tool: unknown): string {
  if (!isRecord(tool)) return 'an unreadable part';
  const name = format === 'contents' ? Object.keys(tool).join(', ') : tool['type'];
  return String(name).slice(0, 100);
}

/** Keys whose values may contain further parts. Arguments of calls are excluded, as they may contain any URL. */
const containers = ['content', 'output', 'parts', 'functionResponse', 'function_response'];

function holdsAddress(conversation: unknown): boolean {
  const pending: unknown[] = [conversation];
  while (pending.length > 0) {
    const part = pending.pop();
    if (Array.isArray(part)) for (const inner of part) pending.push(inner);
    else if (isRecord(part)) {
      if (isAddress(part)) return true;
      for (const name of containers) if (typeof part[name] === 'object') pending.push(part[name]);
      if (isRecord(part['source'])) pending.push(part['source']);
    }
  }
  return false;
}

function isAddress(part: Record<string, unknown>): boolean {
  if (part['type'] === 'url' || [part['file_url'], part['fileData'], part['file_data']].some(isRecord)) return true;
  const image = isRecord(part['image_url']) ? part['image_url']['url'] : part['image_url'];
  return [image, part['file_url']].some((url) => typeof url === 'string' && !url.startsWith('data:'));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
