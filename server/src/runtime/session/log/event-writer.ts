import type { AgentRecord } from '../../../adapters/agent/port.ts';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import type { ShownChange, StatusChange } from '../../../features/sessions/run/run-service.ts';
import { maskedJson } from '../../../lib/mask/json.ts';
import { cleanText } from './output.ts';
import { reservedWords } from '../secrets/reserved-words.ts';

/** Appends a run's events in order and in batches, each with its change of the session's row. */
export interface EventWriter {
  /** Never throws; the next {@link flush} rejects after a failure. The change is made in the event's transaction. */
  write(event: NewEvent, shown?: ShownChange): void;
  /** Writes a warning; never throws. */
  warn(code: string, message: string): void;
  /** Writes a change of the session's status; never throws. */
  status(change: StatusChange): void;
  /** Appends events and the agent's records in one transaction. Resolves when it is committed. */
  record(events: readonly NewEvent[], records: readonly AgentRecord[]): Promise<void>;
  /** Resolves when everything written so far is in the log; rejects after a failure. */
  flush(): Promise<void>;
}

export interface EventWriterOptions {
  append(
    events: readonly NewEvent[],
    more: { shown: ShownChange | undefined; records: readonly AgentRecord[]; progress: boolean },
  ): Promise<void>;
  /** Masks secret values in an event. */
  mask(text: string): string;
  /** Called once, when events can no longer be appended. */
  onFailure(error: unknown): void;
}

/** Events and records of one transaction. */
interface Entry {
  events: readonly NewEvent[];
  records: readonly AgentRecord[];
  shown: ShownChange | undefined;
}

const batchSize = 100;

export function createEventWriter(options: EventWriterOptions): EventWriter {
  const batches = writeBatches(options);
  return {
    ...batches,
    warn: (code, message) => batches.write({ kind: 'warning', data: { code, message } }),
    status: (change) => batches.write({ kind: 'status', data: change }, change),
  };
}

/**
 * Runs one append at a time; events that arrive meanwhile form the next batch. The first one waits only for what is written in
 * the same turn of the event loop, because a model's text must reach clients at once.
 */
function writeBatches({ append, mask, onFailure }: EventWriterOptions): Omit<EventWriter, 'warn' | 'status'> {
  let queue: Entry[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  let draining: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  const masked = <T>(value: T): T => maskedJson(value, (text) => cleanText(mask(text)), reservedWords);

  async function drain(): Promise<void> {
    while (queue.length > 0 && failure === undefined) {
      const batch = queue.splice(0, batchSize);
      try {
        await append(
          batch.flatMap(({ events }) => events),
          {
            shown: merged(batch.map(({ shown }) => shown)),
            records: batch.flatMap(({ records }) => records),
            // Records without events are internal notes, and no progress.
            progress: batch.some(({ events, records }) => events.length > 0 && records.length > 0),
          },
        );
      } catch (error) {
        failure = { error };
        queue = [];
        onFailure(error);
      }
    }
    draining = undefined;
  }

  function start(): void {
    clearImmediate(scheduled);
    scheduled = undefined;
    draining ??= drain();
  }

  async function flush(): Promise<void> {
    while (queue.length > 0 || draining !== undefined) {
      start();
      await draining;
    }
    clearImmediate(scheduled);
    scheduled = undefined;
    if (failure !== undefined) throw failure.error;
  }

  return {
    write(event, shown) {
      if (failure !== undefined) return;
      queue.push({ events: [masked(event)], records: [], shown: shown === undefined ? undefined : masked(shown) });
      if (draining !== undefined) return;
      if (queue.length >= batchSize) start();
      else scheduled ??= setImmediate(start);
    },
    async record(events, records) {
      if (failure === undefined)
        queue.push({
          events: events.map((event) => masked(event)),
          records: records.map((record) => masked(record)),
          shown: undefined,
        });
      await flush();
    },
    flush,
  };
}

/** Merges changes; later ones win. */
function merged(changes: readonly (ShownChange | undefined)[]): ShownChange | undefined {
  const known = changes.filter((change) => change !== undefined);
  return known.length === 0 ? undefined : Object.assign({}, ...known);
}
