import { randomUUID } from 'node:crypto';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import { cleanText, cutText, maxEventBytes } from './output.ts';

interface Spoken {
  kind: 'message' | 'thought';
  messageId: string;
  role: 'agent' | 'platform';
  delta: string;
  done: boolean;
}

/** Converts a piece of a text into events within the size limit. */
export function messageEvents({ kind, messageId: message_id, role, delta, done }: Spoken): NewEvent[] {
  const pieces = cutText(cleanText(delta), maxEventBytes);
  const last = pieces.pop() ?? '';
  const event = (piece: string, isLast: boolean): NewEvent => {
    const data = { message_id, role, delta: piece, done: isLast };
    return kind === 'thought'
      ? { kind, phase: 'implement', data }
      : { kind, phase: 'implement', data: { ...data, state: 'delivered' } };
  };
  return [...pieces.map((piece) => event(piece, false)), event(last, done)];
}

/** Converts a message of the platform to the agent into events. */
export function platformMessage(text: string): NewEvent[] {
  return messageEvents({ kind: 'message', messageId: randomUUID(), role: 'platform', delta: text, done: true });
}
