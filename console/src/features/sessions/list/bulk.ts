import { apiOf, unwrap, type Schemas, type Session } from '../../../lib/api.ts';

export type BulkAction = Schemas['ChangeSessionsRequest']['action'];

/** What became of each session. */
export interface BulkResult {
  action: BulkAction;
  done: number;
  /** Those that were refused, with the API's reason. */
  refused: { id: string; title: string; reason: string }[];
}

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

type Item = Schemas['SessionChanges']['items'][number];

/** Returns the results with the titles of the sessions. */
export function resultOf(
  sessions: readonly Pick<Session, 'id' | 'title'>[],
  items: readonly Item[],
): Omit<BulkResult, 'action'> {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  const refused = items
    .filter(({ ok }) => !ok)
    .map(({ id, error }) => ({ id, title: titles.get(id) ?? id, reason: error?.message ?? 'It was refused.' }));
  return { done: items.length - refused.length, refused };
}

/** Returns tags from what a person typed: by commas, without repetitions. */
export function tagsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
  ];
}
