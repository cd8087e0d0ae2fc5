import type { Log } from './log.ts';

const touchAfterMs = 60_000;
const flushEveryMs = 5_000;

/** Records when things were last used, apart from the requests that use them: at most once a minute each, written every 5 s. */
export interface UseNotes<T> {
  /** `name` identifies the thing; `last` is its last recorded use, null for never. */
  note(name: string, use: T, last: Date | null): void;
  /** Writes the pending records. */
  close(): Promise<void>;
}

/** `what` names the things in the log when `write` fails; their last use is then lost. */
export function createUseNotes<T extends { at: Date }>(
  log: Log,
  what: string,
  write: (uses: T[]) => Promise<void>,
): UseNotes<T> {
  let uses = new Map<string, T>();
  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    await write(batch).catch((error: unknown) => log.warn({ err: error }, `last use of ${what} could not be recorded`));
  }
  const timer = setInterval(() => void flush(), flushEveryMs).unref();
  return {
    note(name, use, last) {
      if (last === null || use.at.getTime() - last.getTime() > touchAfterMs) uses.set(name, use);
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
