import { messageOf } from '../../src/lib/errors.ts';

/** The things that a test has opened, by name. */
export interface Closing {
  add(name: string, close: () => Promise<unknown>): void;
  /** Closes the newest first, each one also after another failed; then throws an error that names those that failed. */
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const opened: [name: string, close: () => Promise<unknown>][] = [];
  return {
    add: (name, close) => void opened.push([name, close]),
    async close() {
      const failures: string[] = [];
      for (const [name, close] of opened.splice(0).toReversed())
        await close().catch((error: unknown) => failures.push(`${name}: ${messageOf(error)}`));
      if (failures.length > 0) throw new Error(`Not everything was closed: ${failures.join('; ')}`);
    },
  };
}
