import type { Context } from '../../app/context.ts';

/** The time in milliseconds during which a deleted repository can be restored. */
export const restorableMs = 30 * 24 * 3_600_000;

/** Returns the instant after which a repository must have been deleted to be restorable now. */
export function restorableSince({ clock }: Pick<Context, 'clock'>): Date {
  return new Date(clock.now().getTime() - restorableMs);
}
