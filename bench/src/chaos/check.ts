import type { SessionEvent } from '@guildhall/client';
import type { Installation } from './installation.ts';
import type { Project } from './project.ts';
import type { Followed } from './session.ts';

/** A property that must always hold. */
export interface Check {
  what: string;
  /** The number of checked items, or the result. */
  figure: string;
  /** Empty if it holds. */
  violations: string[];
}

/** The state after everything has finished. */
export interface Aftermath {
  installation: Installation;
  projects: readonly Project[];
  sessions: readonly Followed[];
  /** The final log of each session as the API lists it. */
  logs: ReadonlyMap<string, readonly SessionEvent[]>;
}

/** Processes items a few at a time; returns the results in their order. */
export async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>, width = 4): Promise<R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await run(item));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
