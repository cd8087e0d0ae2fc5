import { namesAfter, recall, remember } from '../../lib/storage.ts';
import type { DiffLines } from '../../ui/diff/diff.ts';
import { linesOf, lineWords, writtenLines } from '../../ui/diff/lines.ts';
import type { Place } from './queries.ts';

type Where = Pick<Place, 'repository' | 'number'>;

const startOf = ({ repository, number }: Where) => `line/${repository}/${number}/`;

/** The name of the text about lines that was not sent yet. */
export function unsentName(where: Where, lines: DiffLines): string {
  return `${startOf(where)}${writtenLines(lines)}:${lines.path}`;
}

/** The name of the text about a whole change that was not sent yet. */
export function unsentWholeName({ repository, number }: Where): string {
  return `comment/${repository}/${number}`;
}

/** Returns the lines that have an unsent text, in the order of their files. */
export function unsentLines(where: Where): DiffLines[] {
  const all = namesAfter(startOf(where)).flatMap((name) => {
    const [, written, path = ''] = /^(\w+(?:-\d+)?):(.+)$/.exec(name) ?? [];
    return linesOf(path, written) ?? [];
  });
  return all.toSorted((a, b) => (a.path === b.path ? a.to - b.to : a.path < b.path ? -1 : 1));
}

/** Makes an unsent text about lines a part of the one about the whole change, which then says where it belongs. */
export function moveToWhole(where: Where, lines: DiffLines): void {
  const text = `${lines.path}, ${lineWords(lines)}:\n${recall(unsentName(where, lines)) ?? ''}`;
  const parts = [recall(unsentWholeName(where)) ?? '', text];
  remember(unsentWholeName(where), parts.filter((part) => part !== '').join('\n\n'));
  remember(unsentName(where, lines), undefined);
}
