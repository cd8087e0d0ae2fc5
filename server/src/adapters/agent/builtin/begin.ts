import type { AgentEvent, AgentPrompt } from '../port.ts';
import { type Conversation, keep } from './conversation.ts';
import type { Entry, EntryOf, ToolCall } from './records.ts';
import { finishCall } from './tool-calls.ts';
import { failed, succeeded, type Tool } from './tools/tool.ts';
import { callsOf, personText } from './transcript.ts';

/**
 * Begins a turn, or goes on with the one that was begun before: what an earlier turn left open is closed, and what the
 * person said is put on record.
 */
export async function beginTurn(conversation: Conversation, input: AgentPrompt): Promise<void> {
  const { transcript } = conversation;
  if (transcript.turn === input.turn) {
    const missed = missedText(transcript.said, input.text);
    // It cannot stand between a call and its result, and the calls are not settled yet.
    if (missed !== '') conversation.notes.push(`Your person also said:\n${missed}`);
    return;
  }
  const entries: Entry[] = [];
  const events: AgentEvent[] = [];
  const { last } = transcript;
  const asked = last?.type === 'asked' ? last.callId : undefined;
  for (const call of transcript.pendingCalls()) {
    const answered = call.toolCallId === asked;
    const outcome = answered
      ? succeeded(`Your person answered:\n\n${personText(input)}`)
      : failed(
          `${conversation.interruption || 'Your person interrupted you'} while this ran. What it did until then is unknown: look before you go on.`,
        );
    const finished = finishCall(call, outcome);
    entries.push(finished.entry);
    events.push(...finished.events);
  }
  const { turn, text, attachments } = input;
  entries.push({ type: 'turn', turn, text, attachments, ...(asked === undefined ? {} : { answers: asked }) });
  await keep(conversation, entries, events);
}

/**
 * What a prompt has beyond the messages on record: one that was taken as the worker was lost, before it was recorded. A
 * worker that goes on with a turn sends all messages of its person, joined by empty lines.
 */
function missedText(said: readonly string[], text: string): string {
  const known = said.join('\n\n');
  if (known.includes(text)) return '';
  for (let at = text.lastIndexOf('\n\n'); at > 0; at = text.lastIndexOf('\n\n', at - 1)) {
    if (known.endsWith(text.slice(0, at))) return text.slice(at + 2);
  }
  return text;
}

/**
 * What the model has to know when the work tree may be older than what it remembers: the calls in the records from the
 * number `from` on whose changes may be missing; undefined when there are none.
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
  return `${interruption || 'The platform lost the machine'}, and the work tree was restored from a checkpoint that is older than your last steps. Changes of files by these calls may be missing, although you have seen their results:\n${rows.join('\n')}\nLook at the work tree before you go on, and do again what is missing.`;
}

const maxRows = 30;
