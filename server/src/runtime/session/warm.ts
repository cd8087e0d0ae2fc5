import { closeCodes } from '../../features/sessions/live/calls.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Attempt } from './attempt/attempt.ts';
import type { RunControl } from './attempt/control.ts';
import type { Turn } from './turn.ts';

/** Waits with a warm sandbox, and saves what people change in it meanwhile. */
export async function waitWarm({ control }: Attempt, { workspace }: Turn): ReturnType<RunControl['waitForWork']> {
  const unwatch = workspace?.checkpoints.watch(() => workspace.live.takeTouched());
  try {
    return await control.waitForWork();
  } finally {
    await unwatch?.();
  }
}

/** Ends people's terminals before the session is given up, and saves what they changed. */
export async function endLive({ ctx, run, control, events }: Attempt, { workspace }: Turn): Promise<void> {
  if (workspace === undefined) return;
  const drains = ctx.closing.aborted || control.stopped === 'drain';
  await workspace.live.leave(
    drains
      ? { code: closeCodes.goingAway, reason: 'The worker is stopping. Open the terminal again.' }
      : { code: closeCodes.sandboxEnded, reason: 'The session no longer uses its sandbox. Send it a message.' },
  );
  if (workspace.live.takeTouched())
    await saveWork(workspace).catch((error: unknown) =>
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to save what was done in a terminal'),
    );
  await events.flush();
}

/** Takes a last checkpoint, and waits until it is recorded. */
export async function saveWork(workspace: Turn['workspace']): Promise<void> {
  await workspace?.checkpoints.take();
  await workspace?.checkpoints.settled();
}
