import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Conversation, sharedNow, type SeenTurn } from './agents-conversation.ts';
import { countCpu, createRepository, repository, startInstallation, type Installation } from './agents-installation.ts';
import { benchTokens } from './agents-latency.ts';
import { memoryOf } from './agents-processes.ts';
import { rateFrom, type Rate } from './agents-rates.ts';
import { bareEdit, bareStart } from './new-sessions-bare.ts';

export interface NewSessionOptions {
  directory: string;
  isQuick: boolean;
  /** The directory for CPU profiles of the server; `''` for none. */
  profile: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** The first session of a process loads code, and clones the repository. */
const warmUps = 3;
const settledMs = 3_000;
const heldSessions = 128;
const manyBranches = 2_000;
const branchy = 'bench/branches';
/** Repositories are packed after a push, and mirrors every 30 s. */
const packedMs = 35_000;
const startsAgain = 3;

/** Measures sessions from their creation on: each turn is the first one of its session. */
export async function benchNewSessions({ directory, isQuick, profile, signal, say }: NewSessionOptions) {
  const data = mkdtempSync(join(directory, 'new-sessions-'));
  const count = isQuick ? 10 : 40;
  const on = async <T>(part: (installation: Installation) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const installation = await startInstallation(directory, data, profile);
    try {
      return await part(installation);
    } finally {
      await installation.stop();
    }
  };
  const alone = await on(async (installation) => {
    await createRepository(installation, directory);
    await delay(settledMs, undefined, { signal });
    const idleMib = memoryOf(installation.server.pid);
    say('new sessions, one at a time');
    const one = { atOnce: 1, turns: count };
    const reply = await play(installation, one, (number) => replyOf(installation, number, signal));
    const edit = await play(installation, one, (number) => editOf(installation, number, signal));
    say(`new sessions in a repository with ${manyBranches} branches`);
    await createRepository(installation, directory, { repo: branchy, branches: manyBranches });
    await editOf(installation, 0, signal, branchy);
    await delay(packedMs, undefined, { signal });
    const branches = await play(installation, one, (number) => editOf(installation, number, signal, branchy));
    say('model token to client');
    const tokens = await benchTokens({ installation, count: isQuick ? 100 : 300, signal });
    return { idleMib, reply, edit, branches, tokens };
  });
  say('a bare sandbox, and a bare edit');
  const bare = { start: await bareStart(count), edit: await bareEdit(directory, count) };
  const rates = await on(async (installation) => {
    const at = async (atOnce: number, of: typeof replyOf) => {
      say(`new sessions, ${atOnce} at once`);
      return play(installation, { atOnce, turns: isQuick ? 32 : 64 }, (number) => of(installation, number, signal));
    };
    const replies = [await at(8, replyOf), await at(16, replyOf)];
    return { replies, edits: [await at(8, editOf), await at(16, editOf)] };
  });
  const heldMib = await on(async (installation) => {
    say(`memory after ${heldSessions} sessions`);
    for (let made = 0; made < heldSessions; made += 16)
      await Promise.all(Array.from({ length: 16 }, (_, number) => replyOf(installation, made + number, signal)));
    await delay(settledMs, undefined, { signal });
    return memoryOf(installation.server.pid);
  });
  const startMs = await startsAfterKill(directory, data, say);
  return { ...alone, ...rates, bare, startMs, heldSessions, heldMib, manyBranches };
}

type TakeTurn = (number: number) => Promise<SeenTurn>;

/** Plays `turns` turns, `atOnce` of them at a time. */
async function play(
  installation: Installation,
  { atOnce, turns }: { atOnce: number; turns: number },
  turn: TakeTurn,
): Promise<Rate> {
  for (let number = 0; number < warmUps; number += 1) await turn(number);
  const used = countCpu(installation);
  const begunAt = sharedNow();
  const tookMs: number[] = [];
  let number = 0;
  const client = async (): Promise<void> => {
    while (number < turns) {
      number += 1;
      const { sentAt, completedAt } = await turn(number);
      tookMs.push(completedAt - sentAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return rateFrom(atOnce, (sharedNow() - begunAt) / 1_000, tookMs, used());
}

export async function replyOf(installation: Installation, number: number, signal: AbortSignal): Promise<SeenTurn> {
  const say = `Reply ${number}.`;
  const { conversation, seen } = await Conversation.begin(installation, {
    words: 'Answer in one sentence.',
    steps: [{ say }],
    mode: 'ask',
    work: { repositories: [] },
    signal,
  });
  conversation.close();
  if (seen.text !== say) throw new Error(`Expected ${JSON.stringify(say)}, got ${JSON.stringify(seen.text)}.`);
  return seen;
}

/** A file is written, committed, and pushed to the session's branch. */
async function editOf(
  installation: Installation,
  number: number,
  signal: AbortSignal,
  repo = repository,
): Promise<SeenTurn> {
  const { conversation, seen } = await Conversation.begin(installation, {
    words: 'Note it.',
    steps: [{ write: { path: 'notes/found.md', content: `What was found, number ${number}.\n` } }, { say: 'Done.' }],
    mode: 'build',
    work: { repositories: [{ repo }], deliver: 'branch' },
    signal,
  });
  conversation.close();
  if (seen.commits.length === 0) throw new Error('A turn that wrote a file has no checkpoint.');
  return seen;
}

/** Kills the server and starts it again on its data. */
async function startsAfterKill(directory: string, data: string, say: (line: string) => void): Promise<number[]> {
  const starts: number[] = [];
  for (let round = 0; round <= startsAgain; round += 1) {
    say('start after SIGKILL');
    const installation = await startInstallation(directory, data);
    if (round > 0) starts.push(installation.server.startMs);
    if (round < startsAgain) await installation.server.kill();
    await installation.stop();
  }
  return starts.toSorted((a, b) => a - b);
}

export type NewSessionFigures = Awaited<ReturnType<typeof benchNewSessions>>;
