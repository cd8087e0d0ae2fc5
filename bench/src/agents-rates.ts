import { setTimeout as delay } from 'node:timers/promises';
import { Conversation, sharedNow, type SeenTurn } from './agents-conversation.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import { countCpu, type CpuUse, type Installation } from './agents-installation.ts';

/** The share of the machine's processors; the figures lack what other programs used. */
const noteworthyShare = 0.2;
/** The time until everything runs as under load: compiled, with open connections. */
const warmMs = 2_000;

export interface Rate {
  /** The number of concurrent sessions. */
  sessions: number;
  perMinute: number;
  /** From sending a message to the end of its turn. */
  turnMs: Spread;
  /** Milliseconds of CPU per turn. */
  cpuMs: CpuUse;
}

export interface RateOptions {
  installation: Installation;
  sessions: readonly number[];
  seconds: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Measures turns per minute in which a session only replies. */
export async function benchReplies(options: RateOptions): Promise<Rate[]> {
  return benchRates('replies', 'ask', options, async (conversation, number) => {
    const say = `Reply ${number}.`;
    const seen = await conversation.turn('Answer in one sentence.', [{ say }]);
    if (seen.text !== say) throw new Error(`Expected ${JSON.stringify(say)}, got ${JSON.stringify(seen.text)}.`);
    return seen;
  });
}

/** Measures turns per minute in which a session writes a file in its sandbox and commits it. */
export async function benchEdits(options: RateOptions): Promise<Rate[]> {
  return benchRates('edits', 'build', options, async (conversation, number) => {
    const content = `What was found, number ${number}.\n`;
    const seen = await conversation.turn('Note it.', [
      { write: { path: 'notes/found.md', content } },
      { say: 'Done.' },
    ]);
    if (seen.commits.length === 0) throw new Error('A turn that wrote a file has no checkpoint.');
    return seen;
  });
}

type TakeTurn = (conversation: Conversation, number: number) => Promise<SeenTurn>;

async function benchRates(
  what: string,
  mode: 'ask' | 'build',
  { installation, sessions, seconds, signal, say }: RateOptions,
  takeTurn: TakeTurn,
): Promise<Rate[]> {
  const rates: Rate[] = [];
  for (const count of sessions) {
    say(`${what} with ${count} at once`);
    const conversations = await Promise.all(
      Array.from({ length: count }, () => Conversation.open(installation, { mode, signal })),
    );
    try {
      const rate = await rateOf(installation, conversations, seconds, takeTurn);
      rates.push(rate);
      const share = (rate.cpuMs.others * rate.perMinute) / 60_000;
      if (share > noteworthyShare) say(`other programs kept ${share.toFixed(1)} processors busy meanwhile`);
    } finally {
      for (const conversation of conversations) conversation.close();
    }
  }
  return rates;
}

/** Measures a rate: each client sends its next message when the previous turn has completed. */
async function rateOf(
  installation: Installation,
  conversations: readonly Conversation[],
  seconds: number,
  takeTurn: TakeTurn,
): Promise<Rate> {
  // A turn in a warm sandbox does not include its start.
  await Promise.all(conversations.map((conversation) => takeTurn(conversation, 0)));
  const from = sharedNow() + warmMs;
  const until = from + seconds * 1_000;
  const turnsMs: number[] = [];
  let number = 0;
  const ending = new AbortController();
  try {
    const [cpu] = await Promise.all([
      cpuOfWindow(installation, seconds, ending.signal),
      ...conversations.map(async (conversation) => {
        while (sharedNow() < until) {
          number += 1;
          const { sentAt, completedAt } = await takeTurn(conversation, number);
          if (completedAt > from && completedAt <= until) turnsMs.push(completedAt - sentAt);
        }
      }),
    ]);
    return rateFrom(conversations.length, seconds, turnsMs, cpu);
  } finally {
    ending.abort();
  }
}

/** Returns the CPU used while turns are counted. */
async function cpuOfWindow(installation: Installation, seconds: number, signal: AbortSignal): Promise<CpuUse> {
  await delay(warmMs, undefined, { signal });
  const used = countCpu(installation);
  await delay(seconds * 1_000, undefined, { signal });
  return used();
}

export function rateFrom(sessions: number, seconds: number, turnsMs: readonly number[], cpu: CpuUse): Rate {
  const turns = turnsMs.length;
  return {
    sessions,
    perMinute: (turns / seconds) * 60,
    turnMs: spreadOf(turnsMs),
    cpuMs: {
      server: cpu.server / turns,
      programs: cpu.programs / turns,
      postgres: cpu.postgres / turns,
      model: cpu.model / turns,
      bench: cpu.bench / turns,
      others: cpu.others / turns,
    },
  };
}
