import type { Context } from '../../../app/context.ts';
import { readActivities } from '../store/list-store.ts';

/** Calls `changed` with the id of each session of an organization that does something new; returns how to stop. */
export function followActivity(
  { notifications }: Pick<Context, 'notifications'>,
  orgId: string,
  changed: (id: string) => void,
): () => void {
  return notifications.subscribe('guildhall_activity', undefined, (payload) => {
    const [org, id] = payload?.split(' ') ?? [];
    if (org === orgId && id !== undefined) changed(id);
  });
}

/** Returns what sessions of an organization did last; those that did nothing yet are left out. */
export async function listActivities({ db }: Pick<Context, 'db'>, orgId: string, ids: readonly string[]) {
  return readActivities(db, orgId, ids);
}
