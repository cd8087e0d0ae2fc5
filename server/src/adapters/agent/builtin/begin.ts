import type { AgentEvent, AgentPrompt } from '../port.ts';
import { type Conversation, record } from './conversation.ts';
import type { Entry, EntryOf, ToolCall } from './records.ts';
import { finishCall } from './tool-calls.ts';
import { failed, succeeded, type Tool } from './tools/tool.ts';
import { callsOf, userText } from './transcript.ts';

/**
 * Starts a turn, or continues an unfinished one: closes pending calls of an earlier turn and records the user's message.
 */
export async function beginTurn(conversation: Conversation, input: AgentPrompt): Promise<void> {
  const { transcript } = conversation;
  if (transcript.turn === input.turn) {
    const missed = unrecordedText(transcript.said, input.text);
    // A note, because a message must not come between a call and its result, and calls may be pending.
    if (missed !== '') conversation.notes.push(`The user also said:\n${missed}`);
    return;
  }
  const entries: Entry[] = [];
  const events: AgentEvent[] = [];
  const { last } = transcript;
  const asked = last?.type === 'asked' ? last.callId : undefined;
  for (const call of transcript.pendingCalls()) {
    const answered = call.toolCallId === asked;
    const outcome = answered
      ? succeeded(`The user answered:\n\n${userText(input)}`)
      : failed(
          `${conversation.interruption || 'The user interrupted you'} while this ran. Its effects are unknown: check them before you continue.`,
        );
    const finished = finishCall(call, outcome);
    entries.push(finished.entry);
    events.push(...finished.events);
  }
  const { turn, text, attachments } = input;
  entries.push({ type: 'turn', turn, text, attachments, ...(asked === undefined ? {} : { answers: asked }) });
  await record(conversation, entries, events);
}

/**
 * Returns the part of a prompt that is not recorded: a message that the lost worker took but did not record. A worker that
 * continues a turn sends all messages of the user, joined by empty lines.
 */
function unrecordedText(said: readonly string[], text: string): string {
  const known = said.join('\n\n');
  if (known.includes(text)) return '';
  for (let at = text.lastIndexOf('\n\n'); at > 0; at = text.lastIndexOf('\n\n', at - 1)) {
    if (known.endsWith(text.slice(0, at))) return text.slice(at + 2);
  }
  return text;
}

/**
 * Returns a note for the model about a work tree that is older than the conversation: the calls from record `from` on whose
 * changes may be missing; undefined if there are none.
 */
export function restoredNote(
  entries: readonly Entry[],
  { from, tools, interruption }: { from: number; tools: ReadonlyMap<string, Tool>; interruption: string },
): string | undefined {
  const calls = new Map<string, ToolCall>();
  for (const entry of entries) {
    if (entry.type === 'assistant') for (const call of callsOf(entry)) calls.set(call.toolCallId, call);
  }
  const lost = entries
    .slice(from)
    .filter((entry): entry is EntryOf<'tool'> => entry.type === 'tool' && entry.changes === true);
  if (lost.length === 0) return undefined;
  const rows = lost.slice(-maxRows).map(({ callId, name }) => {
    const call = calls.get(callId);
    return `- ${name}: ${(call === undefined ? undefined : tools.get(name)?.title(call.input)) ?? name}`;
  });
  if (lost.length > maxRows) rows.unshift(`- ${lost.length - maxRows} earlier calls`);
  return `${interruption || 'The platform lost the machine'}, and the work tree was restored from a checkpoint that is older than your last steps. File changes of these calls may be missing, although you have seen their results:\n${rows.join('\n')}\nCheck the work tree before you continue, and repeat what is missing.`;
}

const maxRows = 30;
