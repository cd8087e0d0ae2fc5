import type { NewEvent } from '../../features/sessions/event-schemas.ts';
import type { ShownChange } from '../../features/sessions/run-service.ts';
import { cleanText } from './output.ts';

/** Appends a run's events in order, in few statements, with the changes of the session that they tell of. */
export interface EventWriter {
  /** Never throws; a failure to append shows in the next {@link flush}. The change is made in the event's transaction. */
  write(event: NewEvent, shown?: ShownChange): void;
  /** Resolves when everything written so far is in the log; rejects when it could not be. */
  flush(): Promise<void>;
}

export interface EventWriterOptions {
  append(events: readonly NewEvent[], shown: ShownChange | undefined): Promise<void>;
  /** What must not be readable in an event. */
  mask(text: string): string;
  /** Called once, when events can no longer be appended. */
  onFailure(error: unknown): void;
}

const batchSize = 100;
/** A model's words have to reach their reader within 10 ms. */
const batchMs = 5;

/** One append is in flight at a time; what comes meanwhile makes the next batch. */
export function createEventWriter({ append, mask, onFailure }: EventWriterOptions): EventWriter {
  let queue: { event: NewEvent; shown: ShownChange | undefined }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let draining: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0 && failure === undefined) {
      const batch = queue.splice(0, batchSize);
      try {
        await append(
          batch.map(({ event }) => event),
          merged(batch.map(({ shown }) => shown)),
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
    clearTimeout(timer);
    timer = undefined;
    draining ??= drain();
  }

  return {
    write(event, shown) {
      if (failure !== undefined) return;
      queue.push({ event: masked(event, mask), shown });
      if (draining !== undefined) return;
      if (queue.length >= batchSize) start();
      else timer ??= setTimeout(start, batchMs);
    },
    async flush() {
      while (queue.length > 0 || draining !== undefined) {
        start();
        await draining;
      }
      clearTimeout(timer);
      timer = undefined;
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** Of several changes the last one holds. */
function merged(changes: readonly (ShownChange | undefined)[]): ShownChange | undefined {
  const known = changes.filter((change) => change !== undefined);
  return known.length === 0 ? undefined : Object.assign({}, ...known);
}

function masked(event: NewEvent, mask: (text: string) => string): NewEvent {
  // A round trip, because only JSON can hold what an event may.
  return JSON.parse(JSON.stringify(event), (_key, value: unknown) =>
    typeof value === 'string' ? cleanText(mask(value)) : value,
  );
}
