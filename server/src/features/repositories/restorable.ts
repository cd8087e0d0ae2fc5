import type { Context } from '../../app/context.ts';

/** How long a deleted repository can be restored. */
export const restorableMs = 30 * 24 * 3_600_000;

/** What was deleted after this can be restored now. */
export function restorableSince({ clock }: Pick<Context, 'clock'>): Date {
  return new Date(clock.now().getTime() - restorableMs);
}
