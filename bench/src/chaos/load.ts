import type { Client, SessionEvent } from '@guildhall/client';
import type { Project } from './project.ts';
import { createFollowed, followToEnd, type Followed } from './session.ts';
import type { Work } from './work.ts';

export interface LoadOptions {
  client: Client;
  projects: readonly Project[];
  /** Number of concurrent sessions. */
  inFlight: number;
  /** Returns the work of the session with this number, from 1. */
  work: (number: number) => Work;
  signal: AbortSignal;
}

/** Keeps a number of sessions running, each with its own client. */
export interface Load {
  /** In the order of their creation. */
  readonly sessions: readonly Followed[];
  /** Number of sessions that have not ended. */
  running(): number;
  /** Number of events that clients were shown so far. */
  shown(): number;
  /** Resolves with the session that begins this phase next, as shown to its client; undefined if none does in time. */
  nextPhase(name: string, withinMs: number): Promise<Followed | undefined>;
  /** Creates no more sessions; resolves when all have ended. Rejects if one cannot be created or followed. */
  finish(): Promise<void>;
  /** Rejects as soon as a session cannot be created or followed. */
  readonly broken: Promise<never>;
}

export function startLoad(options: LoadOptions): Load {
  const { client, projects, inFlight, work, signal } = options;
  const sessions: Followed[] = [];
  const watchers = new Set<(session: Followed, event: SessionEvent) => void>();
  const finishing = new AbortController();
  let running = 0;
  let shown = 0;
  let number = 0;
  const broken = Promise.withResolvers<never>();
  // `finish` rejects with it, too.
  broken.promise.catch(() => undefined);

  const onEvent = (session: Followed, event: SessionEvent): void => {
    shown += 1;
    for (const watcher of watchers) watcher(session, event);
  };
  /** Runs one session after another. */
  async function place(): Promise<void> {
    while (!finishing.signal.aborted) {
      number += 1;
      const project = projects[number % projects.length];
      if (project === undefined) throw new Error('no project');
      running += 1;
      const session = await createFollowed(client, work(number), project, signal);
      sessions.push(session);
      await followToEnd(client, session, { onEvent, signal });
      running -= 1;
    }
  }
  const places = Promise.all(Array.from({ length: inFlight }, place));
  places.catch((error: unknown) => broken.reject(error));

  return {
    sessions,
    running: () => running,
    shown: () => shown,
    broken: broken.promise,
    async nextPhase(name, withinMs) {
      const found = Promise.withResolvers<Followed | undefined>();
      const watcher = (session: Followed, event: SessionEvent): void => {
        if (event.kind === 'phase' && event.data.name === name && event.data.status === 'running')
          found.resolve(session);
      };
      watchers.add(watcher);
      const timer = setTimeout(() => found.resolve(undefined), withinMs);
      try {
        return await found.promise;
      } finally {
        clearTimeout(timer);
        watchers.delete(watcher);
      }
    },
    async finish() {
      finishing.abort();
      await places;
    },
  };
}
