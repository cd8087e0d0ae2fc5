import type { Context } from '../../app/context.ts';
import { frame } from '../../http/sse.ts';
import { messageOf } from '../../lib/errors.ts';
import { followActivity, listActivities } from '../sessions/api/activity-service.ts';
import type { LiveEvent } from './live-event.ts';

/** The type of the events that tell what sessions do. They have no number, are not stored, and cannot be resumed. */
export const activityType = 'session.activity_changed';

/** A session's activity is sent at most once in this time, and then as it is. */
const everyMs = 1_000;
/** Sessions of one query. */
const batch = 500;

/**
 * Follows what an organization's sessions do: reads it for those that changed, at once and then every second, and calls
 * `take`. `seq` is the number of the last stored event. Returns how to stop.
 */
export function startActivityFeed(
  ctx: Pick<Context, 'db' | 'notifications' | 'log'>,
  orgId: string,
  { seq, take }: { seq: () => number; take: (events: readonly LiveEvent[]) => void },
): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function look(): Promise<void> {
    const ids = [...changed].slice(0, batch);
    for (const id of ids) changed.delete(id);
    try {
      const activities = await listActivities(ctx, orgId, ids);
      if (!stopped && activities.length > 0) take(activities.map((one) => liveActivity(one, seq())));
    } catch (error) {
      // The next change of these sessions is sent again.
      ctx.log.debug({ organization: orgId, reason: messageOf(error) }, 'cannot read what sessions do');
    }
    if (stopped) return;
    timer = setTimeout(rest, everyMs);
  }

  function rest(): void {
    timer = undefined;
    if (changed.size > 0) wake();
  }

  function wake(): void {
    if (timer !== undefined || stopped) return;
    timer = setTimeout(() => void look(), 0);
  }

  const leave = followActivity(ctx, orgId, (id) => {
    changed.add(id);
    wake();
  });
  return () => {
    stopped = true;
    leave();
    clearTimeout(timer);
  };
}

function liveActivity({ id, text, at }: { id: string; text: string; at: Date }, seq: number): LiveEvent {
  const resource = { type: 'session', id };
  const actor = { type: 'session', id };
  const data = { activity: { text, at } };
  const shown = { seq, type: activityType, resource, actor: { ...actor, name: '' }, at, summary: data };
  return {
    seq,
    type: activityType,
    resource,
    actor,
    data,
    frame: frame({ event: activityType, data: JSON.stringify(shown) }),
  };
}
