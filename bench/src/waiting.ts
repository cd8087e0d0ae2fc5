import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Conversation } from './agents-conversation.ts';
import { startInstallation } from './agents-installation.ts';
import { cpuOf, memoryOf, type Shares } from './agents-processes.ts';

export interface WaitingFigures {
  at: {
    sessions: number;
    mib: Shares;
    /** Milliseconds of CPU in a second. */
    cpuMs: Shares;
  }[];
}

interface Options {
  directory: string;
  sessions: readonly number[];
  signal: AbortSignal;
  say: (line: string) => void;
}

const openAtOnce = 8;
/** The time until the leftovers of a turn are cleaned up. */
const quietMs = 5_000;
const measuredSeconds = 15;

/** Lets sessions of one worker wait for their users, and measures what the silence costs. None has used a sandbox yet. */
export async function benchWaiting({ directory, sessions, signal, say }: Options): Promise<WaitingFigures> {
  const most = Math.max(...sessions);
  const data = mkdtempSync(join(directory, 'waiting-'));
  const installation = await startInstallation(directory, data, '', { GUILDHALL_SLOTS: String(most) });
  const conversations: Conversation[] = [];
  let begun = 0;
  const at: WaitingFigures['at'] = [];
  try {
    for (const count of sessions) {
      say(`${count} waiting sessions`);
      const open = async (): Promise<void> => {
        while (begun < count) {
          begun += 1;
          conversations.push(await Conversation.open(installation, { mode: 'ask', signal }));
        }
      };
      await Promise.all(Array.from({ length: openAtOnce }, open));
      await delay(quietMs, undefined, { signal });
      const before = cpuOf(installation.server.pid);
      await delay(measuredSeconds * 1_000, undefined, { signal });
      const after = cpuOf(installation.server.pid);
      const spent = (pick: (shares: Shares) => number): number => (pick(after) - pick(before)) / measuredSeconds;
      at.push({
        sessions: count,
        mib: memoryOf(installation.server.pid),
        cpuMs: {
          server: spent(({ server }) => server),
          programs: spent(({ programs }) => programs),
          postgres: spent(({ postgres }) => postgres),
        },
      });
    }
    return { at };
  } finally {
    for (const conversation of conversations) conversation.close();
    await installation.stop();
  }
}
