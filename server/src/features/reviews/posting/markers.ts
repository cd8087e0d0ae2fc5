/**
 * Marks at the end of comments, invisible on the page: they tell the platform's own comments from others, and what was posted
 * before a crash. Ids of findings are random, so nobody can write a mark before the platform did.
 */
export type Mark = 'finding' | 'review' | 'resolved' | 'still' | 'answer';

const pattern = /<!-- guildhall:(finding|review|resolved|still|answer) ([a-z]{2,8}_[0-9a-z]{1,40}) -->/g;

/** Returns a text with a mark at its end. */
export function marked(text: string, mark: Mark, id: string): string {
  return `${text}\n\n<!-- guildhall:${mark} ${id} -->`;
}

/** Returns the mark of a comment: the last one, because its text comes before it; undefined for a comment of others. */
export function markOf(body: string): { mark: string; id: string } | undefined {
  const [, mark, id] = [...body.matchAll(pattern)].at(-1) ?? [];
  return mark === undefined || id === undefined ? undefined : { mark, id };
}

/** Returns true for a comment with this mark. */
export function hasMark(body: string, mark: Mark, id: string): boolean {
  const found = markOf(body);
  return found?.mark === mark && found.id === id;
}
