import type { NewEvent } from '../schemas/event-schemas.ts';

const maxLength = 200;

/** Returns what the last of these events says that a session does, in one line; undefined if none of them does. */
export function activityOf(events: readonly NewEvent[]): string | undefined {
  const text = events.map(textOf).findLast((one) => one !== '');
  return text === undefined ? undefined : shortened(text);
}

/** Returns `''` for an event that says nothing about what is being done. */
function textOf(event: NewEvent): string {
  const { kind, data } = event;
  if (kind === 'tool_call') return lineOf(data.title === '' ? data.name : data.title);
  if (kind === 'provisioning') return data.status === 'running' ? lineOf(data.summary) : '';
  // A command of a tool call follows the event of the call.
  // A person's terminal is not the session's work.
  if (kind === 'command' && data.created_by !== undefined) return '';
  if (kind === 'command') return data.call_id === '' && data.exit_code === null ? lineOf(data.command) : '';
  return '';
}

function lineOf(text: string): string {
  // A command may be long; the line is cut to a small part of this anyway.
  return text
    .slice(0, 4 * maxLength)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function shortened(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
