import type { SessionEvent } from '@guildhall/client';
import type { Installation } from './installation.ts';
import type { Project } from './project.ts';
import type { Followed } from './session.ts';

/** One thing that has to hold, looked at everywhere. */
export interface Check {
  what: string;
  /** What was looked at, or what came out. */
  figure: string;
  /** Empty when it holds. */
  violations: string[];
}

/** What there is to judge once everything has come to rest. */
export interface Aftermath {
  installation: Installation;
  projects: readonly Project[];
  sessions: readonly Followed[];
  /** The log of each session as the API lists it in the end. */
  logs: ReadonlyMap<string, readonly SessionEvent[]>;
}

/** Works on items a few at a time; answers in their order. */
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
