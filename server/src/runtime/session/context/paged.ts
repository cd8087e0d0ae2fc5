import type { AgentToolResult } from '../../../adapters/agent/port.ts';

/** Characters per call: fewer than an agent would cut in the middle. */
const pageLength = 24_000;

/** Returns a part of a long text, and where to read on. */
export function paged(content: string, offset: number): AgentToolResult {
  const end = Math.min(content.length, offset + pageLength);
  const left = content.length - end;
  const rest = left > 0 ? `\n[${left} more characters, from offset ${end}]` : '';
  return { ok: true, output: `${content.slice(offset, end).toWellFormed()}${rest}` };
}
