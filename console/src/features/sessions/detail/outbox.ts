import { readFiles, type AttachedFile } from '../attachments/files.ts';

export const deliveries = ['steer', 'queue', 'interrupt'] as const;
export type Delivery = (typeof deliveries)[number];

/** A message of this person that the log does not have yet. */
export interface Outgoing {
  /** Makes a repetition harmless. */
  key: string;
  text: string;
  files: readonly AttachedFile[];
  delivery: Delivery;
  state: 'sending' | 'sent' | 'failed';
  /** The message's id, once the API has it. */
  id: string | undefined;
  problem: string;
}

/** Of a message whose sending a reload broke off. */
const brokenOff = 'The page was left before this was sent. Try again: it arrives only once.';

/** Returns what a browser keeps of messages that have not arrived; undefined if all have. */
export function writeOutbox(list: readonly Outgoing[]): string | undefined {
  const open = list.filter(({ state }) => state !== 'sent');
  return open.length === 0 ? undefined : JSON.stringify(open);
}

/** Reads messages that a browser kept, none of which is on its way any more. */
export function readOutbox(stored: string | undefined): Outgoing[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.flatMap(readOutgoing) : [];
  } catch {
    return [];
  }
}

function readOutgoing(value: unknown): Outgoing[] {
  const { key, text, files, delivery: given, problem }: Partial<Record<keyof Outgoing, unknown>> = Object(value);
  const delivery = deliveries.find((one) => one === given);
  if (typeof key !== 'string' || typeof text !== 'string' || delivery === undefined) return [];
  const why = typeof problem === 'string' && problem !== '' ? problem : brokenOff;
  return [{ key, text, files: readFiles(files), delivery, state: 'failed', id: undefined, problem: why }];
}
