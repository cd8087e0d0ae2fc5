import { Worker } from 'node:worker_threads';
import { AppError } from '../../../lib/errors.ts';
import { createSemaphores } from '../../../lib/semaphore.ts';
import type { CommandVerdict } from './commands.ts';
import type { Inspection, InspectionAnswer } from './inspection.ts';
import type { SecretPlace } from './secrets.ts';

/** Beyond this an inspection ends without an answer. */
const commandMs = 3_000;
const secretsMs = 20_000;
/** An unused thread ends after this time. */
const idleMs = 5 * 60_000;

/** A text that could not be inspected: it took too long, or made the inspection fail. */
export class NotInspected extends Error {}

/** Judges a command of an agent; one that cannot be judged in time is unclear. */
export async function judgeCommandOf(
  orgId: string,
  command: string,
  patterns: readonly string[],
): Promise<CommandVerdict> {
  if (patterns.length === 0) return { outcome: 'allowed' };
  try {
    const answer = await commandLane.inspect(orgId, { kind: 'command', command, patterns });
    if (answer.kind === 'command') return answer.verdict;
  } catch (error) {
    if (!(error instanceof NotInspected)) throw error;
  }
  return { outcome: 'unclear', reason: 'it takes too long to parse' };
}

/**
 * Finds what looks like a secret in a text of at most a few hundred kilobytes, and subtracts the time that it took, without the
 * wait for its turn. Throws {@link NotInspected}.
 */
export async function findSecretsOf(
  orgId: string,
  path: string,
  text: string,
  time: { leftMs: number } = { leftMs: 0 },
): Promise<SecretPlace[]> {
  const answer = await secretLane.inspect(orgId, { kind: 'secrets', path, text }, time);
  if (answer.kind === 'secrets') return answer.places;
  throw new NotInspected('The text could not be scanned.');
}

/** A thread for one kind of inspections, which takes them in turn, so that no organization starves another. */
class Lane {
  readonly #deadlineMs: number;
  readonly #turns = createSemaphores(
    { each: 1, total: 1, waiting: 1_000 },
    () => new AppError('capacity_unavailable', 'Too many texts wait to be inspected. Try again later.'),
  );
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  inspect(orgId: string, inspection: Inspection, time = { leftMs: 0 }): Promise<InspectionAnswer> {
    return this.#turns.run(orgId, async () => {
      const startedMs = performance.now();
      try {
        return await this.#ask(inspection);
      } finally {
        time.leftMs -= performance.now() - startedMs;
      }
    });
  }

  async #ask(inspection: Inspection): Promise<InspectionAnswer> {
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= startThread());
    const { promise, resolve, reject } = Promise.withResolvers<InspectionAnswer>();
    const fail = (): void => reject(new NotInspected('The inspection ended without an answer.'));
    const deadline = setTimeout(fail, this.#deadlineMs);
    thread.once('message', resolve);
    thread.once('error', fail);
    thread.once('exit', fail);
    thread.ref();
    thread.postMessage(inspection);
    try {
      return await promise;
    } catch (error) {
      this.#thread = undefined;
      await thread.terminate();
      throw error;
    } finally {
      clearTimeout(deadline);
      thread.off('message', resolve);
      thread.off('error', fail);
      thread.off('exit', fail);
      thread.unref();
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #end(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }
}

function startThread(): Worker {
  const thread = new Worker(new URL('inspection-thread.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 2 },
  });
  // Without a listener an error would end the process.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}

const commandLane = new Lane(commandMs);
const secretLane = new Lane(secretsMs);
