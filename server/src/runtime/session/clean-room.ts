import { join } from 'node:path';
import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Attempt } from './attempt.ts';
import type { BroughtFile } from './brought-files.ts';
import type { Check } from './check.ts';
import { RunFailed } from './control.ts';
import { problemOf } from './could-not-run.ts';
import { runCommand } from './run-command.ts';
import { checkOut, openRoom, type Room } from './sandboxes.ts';
import type { Checkout, Workplace } from './workplace.ts';

export interface CleanRun {
  phase: 'reproduce' | 'verify';
  check: Check;
  /** Files that the change brings and the check needs. */
  brought?: readonly BroughtFile[];
  commitOf: CommitOf;
  /** A room at these commits, made ahead of its use. */
  prepared: Promise<Room> | undefined;
}

/** The commit that a repository is to be checked out at. */
export type CommitOf = (checkout: Checkout) => string;

/** A clean room that is begun before it is known whether it is needed. Who takes it hears of a failure, nobody else. */
export class RoomAhead {
  readonly #attempt: Attempt;
  readonly #workplace: Workplace;
  readonly #phase: CleanRun['phase'];
  #room: Promise<Room> | undefined;

  constructor(attempt: Attempt, workplace: Workplace, phase: CleanRun['phase']) {
    this.#attempt = attempt;
    this.#workplace = workplace;
    this.#phase = phase;
  }

  /** Starts it, with nothing in it. */
  open(): void {
    this.#begin(this.#room ?? openRoom(this.#attempt, this.#workplace, this.#phase));
  }

  /** Checks the repositories out in it; starts it before where nobody did. */
  fill(commitOf: CommitOf): void {
    this.open();
    const opened = this.take();
    if (opened !== undefined)
      this.#begin(opened.then((room) => fillRoom(this.#attempt, this.#workplace, room, commitOf)));
  }

  /** The room, for one use; undefined when none was begun. */
  take(): Promise<Room> | undefined {
    const room = this.#room;
    this.#room = undefined;
    return room;
  }

  /** Gives up a room that nobody took. */
  discard(): void {
    this.take()?.then(
      ({ sandbox }) => this.#attempt.discard(sandbox),
      () => undefined,
    );
  }

  #begin(room: Promise<Room>): void {
    room.catch(() => undefined);
    this.#room = room;
  }
}

async function fillRoom(attempt: Attempt, workplace: Workplace, room: Room, commitOf: CommitOf): Promise<Room> {
  await Promise.all(workplace.checkouts.map((checkout) => checkOut(attempt, room, checkout, commitOf(checkout))));
  return room;
}

/** Runs a check in a sandbox that nobody else has used. One that dies under it is replaced once. */
export async function runInCleanRoom(attempt: Attempt, workplace: Workplace, run: CleanRun): Promise<Evidence> {
  const fresh = async (): Promise<Room> =>
    fillRoom(attempt, workplace, await openRoom(attempt, workplace, run.phase), run.commitOf);
  try {
    return await runIn(attempt, await (run.prepared ?? fresh()), run);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof ProviderError) || !error.retryable) throw error;
    attempt.warn('sandbox_retried', error.message);
  }
  try {
    return await runIn(attempt, await fresh(), run);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    throw new RunFailed('sandbox_lost', error.message, { sandboxState: 'error' });
  }
}

async function runIn(
  attempt: Attempt,
  { sandbox, env }: Room,
  { phase, check, brought = [] }: CleanRun,
): Promise<Evidence> {
  try {
    const cwd = check.directory === '' ? sandbox.workspace : join(sandbox.workspace, check.directory);
    for (const { path, content } of check.files) await sandbox.writeFile(join(cwd, path), content);
    for (const { path, content, mode } of brought)
      await sandbox.writeFile(join(sandbox.workspace, path), content, { mode });
    const { command } = check;
    const artifactName = `${phase}.log`;
    const { evidence, ...end } = await runCommand(attempt, sandbox, { command, cwd, env, phase, artifactName });
    const problem = problemOf({ ...end, exitCode: evidence.exit_code, outputTail: evidence.output_tail });
    return problem === '' ? evidence : { ...evidence, problem };
  } finally {
    attempt.discard(sandbox);
  }
}
