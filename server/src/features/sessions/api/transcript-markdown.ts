import { Value } from 'typebox/value';
import type { Static } from 'typebox';
import { oneLine } from '../../../lib/one-line.ts';
import { eventData, type EventKind } from '../schemas/event-schemas.ts';
import type { SessionRow } from '../store/session-store.ts';
import type { CompactEvent } from './compact-events.ts';

type Data<Kind extends EventKind> = Static<(typeof eventData)[Kind]>;
/** Returns the Markdown of an event, `''` for one that is not shown. */
type Renderers = { [Kind in EventKind]?: (data: Data<Kind>, event: CompactEvent) => string };

/** Of a longer text the middle is left out; `/events` has all of it. */
const maxShownCharacters = 4_000;

const renderers: Renderers = {
  message: ({ role, delta, state, created_by: sender }, { created_at: at }) => {
    if (delta === '' || state === 'withdrawn') return '';
    const name = role === 'user' ? sender?.name || 'User' : role === 'agent' ? 'Agent' : 'Guildhall';
    return `## ${name}, ${minuteOf(at)}\n\n${delta}`;
  },
  thought: ({ delta }) => (delta.trim() === '' ? '' : quoted(delta)),
  tool_call: ({ name, title }) => `- **${name}** ${oneLine(title)}`,
  tool_result: ({ ok, output }) => (ok || output === '' ? '' : `The call failed:\n\n${fenced(output)}`),
  command: ({ command, exit_code: exitCode, duration_ms: ms }) =>
    exitCode === null ? '' : `\`${oneLine(command).replaceAll('`', "'")}\` ended with ${exitCode}${secondsOf(ms)}.`,
  output: ({ text }) => (text.trim() === '' ? '' : fenced(text)),
  plan: ({ entries }) =>
    entries.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${oneLine(content)}`).join('\n'),
  approval: ({ kind, state, summary }) => `*Approval of a ${kind}: ${state}.* ${oneLine(summary)}`,
  phase: ({ name, status, summary }) =>
    status === 'running' ? '' : `### ${name}: ${status.replaceAll('_', ' ')}\n\n${summary}`.trim(),
  file_change: ({ path, change, additions, deletions }) => `- ${change} ${path} (+${additions} −${deletions})`,
  status: ({ status, status_detail: detail }, { created_at: at }) =>
    ['completed', 'failed', 'canceled', 'suspended', 'waiting'].includes(status)
      ? `*${status}${detail === '' ? '' : ` (${detail.replaceAll('_', ' ')})`}, ${minuteOf(at)}*`
      : '',
  budget: ({ limit, used, allowed }) => `*The limit ${limit} was reached: ${used} of ${allowed}.*`,
  warning: ({ message }) => `> **Warning:** ${oneLine(message)}`,
  error: ({ message }) => `> **Error:** ${oneLine(message)}`,
  branch_pushed: ({ repo, branch, commit }) => `*Pushed ${commit.slice(0, 12)} to ${branch} of ${repo}.*`,
  change_request: ({ repo, number, state, url }) => `*Change request [${repo}#${number}](${url}): ${state}.*`,
  artifact: ({ name, size_bytes: bytes }) => `- artifact ${name} (${bytes} bytes)`,
  child: ({ session_id: id, status }) => `*Child session ${id}: ${status}.*`,
  structured_output: ({ value }) => fenced(JSON.stringify(value, undefined, 2), 'json'),
};

/** Writes a session's log as Markdown; `missing` is the number of events that are no longer kept. */
export async function* markdownOf(
  { id, title, status, repositories }: Pick<SessionRow, 'id' | 'title' | 'status' | 'repositories'>,
  events: AsyncIterable<CompactEvent>,
  missing: number,
): AsyncGenerator<Buffer> {
  const places = repositories.map(({ repo, base_ref }) => `${repo} (${base_ref})`).join(', ');
  yield Buffer.from(`# ${oneLine(title)}\n\nSession ${id}, ${status}${places === '' ? '' : `, ${places}`}.\n`);
  if (missing > 0) yield Buffer.from(`\nThe first ${missing} events of the log are no longer kept.\n`);
  for await (const event of events) {
    const text = rendered(event);
    if (text !== '') yield Buffer.from(`\n${text}\n`);
  }
}

/** Returns the Markdown of an event, `''` for one that is not shown. */
export function rendered(event: CompactEvent): string {
  const kind = event.kind;
  return isKind(kind) ? render(kind, renderers[kind], event) : '';
}

function render<Kind extends EventKind>(kind: Kind, write: Renderers[Kind], event: CompactEvent): string {
  const data: unknown = JSON.parse(event.data);
  // A log of an earlier version may have another shape.
  return write !== undefined && Value.Check(eventData[kind], data) ? write(data, event) : '';
}

function isKind(kind: string): kind is EventKind {
  return Object.hasOwn(eventData, kind);
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function secondsOf(ms: number | null): string {
  return ms === null ? '' : ` after ${(ms / 1_000).toFixed(1)} s`;
}

function quoted(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** Returns a code block, whose fence is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const shown = shortened(text.trimEnd());
  const longest = Math.max(2, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}`;
}

function shortened(text: string): string {
  if (text.length <= maxShownCharacters) return text;
  const half = maxShownCharacters / 2;
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}
