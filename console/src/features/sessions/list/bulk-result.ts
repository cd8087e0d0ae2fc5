import type { Schemas, Session } from '../../../lib/api.ts';

export type BulkAction = Schemas['ChangeSessionsRequest']['action'];

/** What became of each session. */
export interface BulkResult {
  action: BulkAction;
  done: number;
  /** Those that were refused, with the API's reason. */
  refused: { id: string; title: string; reason: string }[];
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
