import { setTimeout as delay } from 'node:timers/promises';
import { Conversation } from './agents-conversation.ts';
import type { Installation } from './agents-installation.ts';
import { memoryOf, type Shares } from './agents-processes.ts';

/** The time until the leftovers of a turn are cleaned up. */
const quietMs = 3_000;

export interface Memory {
  /** MiB at this number of sessions that wait for their next message, each with its sandbox. */
  at: { sessions: number; mib: Shares }[];
  /** MiB for each further session, between the two largest numbers: the server and its programs, without PostgreSQL. */
  perSessionMib: number;
  perSessionPostgresMib: number;
}

export async function benchMemory(
  installation: Installation,
  { sessions, signal }: { sessions: readonly number[]; signal: AbortSignal },
): Promise<Memory> {
  const conversations: Conversation[] = [];
  const at: Memory['at'] = [];
  try {
    for (const count of sessions) {
      const missing = Array.from({ length: count - conversations.length }, async () => {
        const conversation = await Conversation.open(installation, { mode: 'build', signal });
        await conversation.turn('Note it.', [{ write: { path: 'notes/found.md', content: 'Found.\n' } }]);
        conversations.push(conversation);
      });
      await Promise.all(missing);
      await delay(quietMs, undefined, { signal });
      at.push({ sessions: count, mib: memoryOf(installation.server.pid) });
    }
  } finally {
    for (const conversation of conversations) conversation.close();
  }
  const [small, large] = at.slice(-2);
  if (small === undefined || large === undefined) throw new Error('A slope needs two points.');
  const slope = (pick: (mib: Shares) => number): number =>
    (pick(large.mib) - pick(small.mib)) / (large.sessions - small.sessions);
  return {
    at,
    perSessionMib: slope(({ server, programs }) => server + programs),
    perSessionPostgresMib: slope(({ postgres }) => postgres),
  };
}
