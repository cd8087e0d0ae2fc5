import { apiOf, unwrap, type Session } from '../../../lib/api.ts';
import { resultOf, type BulkAction, type BulkResult } from './bulk-result.ts';

/** How many sessions one request takes. */
const most = 200;

/** Does the same with any number of sessions, at most 200 in a request. */
export async function changeAll(
  org: string,
  sessions: readonly Session[],
  action: BulkAction,
  tags: string[] = [],
): Promise<BulkResult> {
  const result: BulkResult = { action, done: 0, refused: [] };
  for (let at = 0; at < sessions.length; at += most) {
    const part = sessions.slice(at, at + most);
    const body = { ids: part.map(({ id }) => id), action, ...(action === 'tag' ? { tags } : {}) };
    const { items } = await unwrap(apiOf(org).POST('/v3/organizations/{orgId}/sessions/bulk', { body }));
    const { done, refused } = resultOf(part, items);
    result.done += done;
    result.refused.push(...refused);
  }
  return result;
}
