import { join } from 'node:path';
import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Attempt } from './attempt.ts';
import type { Check } from './check.ts';
import { RunFailed } from './control.ts';
import { runCommand } from './run-command.ts';
import { checkOut, openRoom, type Room } from './sandboxes.ts';
import type { Checkout, Workplace } from './workplace.ts';

export interface CleanRun {
  phase: 'reproduce' | 'verify';
  check: Check;
  /** The commit that each repository is checked out at. */
  commitOf(checkout: Checkout): string;
  /** A room that was begun before it was known what for. */
  prepared?: Promise<Room>;
}

/** Starts a clean room ahead of its use; whoever uses it hears of a failure, nobody else does. */
export function prepareRoom(attempt: Attempt, workplace: Workplace, phase: CleanRun['phase']): Promise<Room> {
  const room = openRoom(attempt, workplace, phase);
  room.catch(() => undefined);
  return room;
}

/** Runs a check in a sandbox that nobody else has used. One that dies under it is replaced once. */
export async function runInCleanRoom(attempt: Attempt, workplace: Workplace, run: CleanRun): Promise<Evidence> {
  try {
    return await runOnce(attempt, workplace, run, run.prepared);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof ProviderError) || !error.retryable) throw error;
    attempt.warn('sandbox_retried', error.message);
  }
  try {
    return await runOnce(attempt, workplace, run, undefined);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    throw new RunFailed('sandbox_lost', error.message, { sandboxState: 'error' });
  }
}

async function runOnce(
  attempt: Attempt,
  workplace: Workplace,
  { phase, check, commitOf }: CleanRun,
  prepared: Promise<Room> | undefined,
): Promise<Evidence> {
  const room = await (prepared ?? openRoom(attempt, workplace, phase));
  const { sandbox, env } = room;
  try {
    await Promise.all(workplace.checkouts.map((checkout) => checkOut(attempt, room, checkout, commitOf(checkout))));
    const cwd = check.directory === '' ? sandbox.workspace : join(sandbox.workspace, check.directory);
    for (const { path, content } of check.files) await sandbox.writeFile(join(cwd, path), content);
    const { command } = check;
    return await runCommand(attempt, sandbox, { command, cwd, env, phase, artifactName: `${phase}.log` });
  } finally {
    attempt.discard(sandbox);
  }
}
