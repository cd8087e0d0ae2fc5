import { readFiles, type AttachedFile } from '../attachments/files.ts';
import type { Fold } from '../timeline/fold.ts';

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
  /** The number of an event before it. */
  afterSeq: number;
  problem: string;
}

/**
 * Returns the messages that a log does not have. Until the API's answer tells the id of one, it is known by its text: the
 * log is often faster.
 */
export function missingIn({ rows, places }: Pick<Fold, 'rows' | 'places'>, list: readonly Outgoing[]): Outgoing[] {
  const known = new Set(list.map(({ id }) => `msg:${id}`));
  const hasText = ({ text, afterSeq }: Outgoing) =>
    rows.some(
      ({ key, seq, kind, is }) =>
        seq > afterSeq &&
        kind === 'message' &&
        is.role === 'user' &&
        !known.has(key) &&
        is.text.length === text.length &&
        text.startsWith(is.text.head) &&
        text.endsWith(is.text.tail),
    );
  return list.filter((one) =>
    one.id === undefined ? one.state !== 'sending' || !hasText(one) : !places.has(`msg:${one.id}`),
  );
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
  const {
    key,
    text,
    files,
    delivery: given,
    afterSeq: after,
    problem,
  }: Partial<Record<keyof Outgoing, unknown>> = Object(value);
  const delivery = deliveries.find((one) => one === given);
  if (typeof key !== 'string' || typeof text !== 'string' || delivery === undefined) return [];
  const why = typeof problem === 'string' && problem !== '' ? problem : brokenOff;
  const afterSeq = typeof after === 'number' ? after : Infinity;
  return [{ key, text, files: readFiles(files), delivery, state: 'failed', id: undefined, afterSeq, problem: why }];
}
