import { recall, remember } from '../../../lib/storage.ts';

/** Where a reader was: the pixels from the top of the view down to a row, which may be negative. */
export interface ReadingPlace {
  seq: number;
  key: string;
  offset: number;
}

const name = 'reading-places';
const most = 50;

/** Remembers where a reader left a log; undefined forgets it, since a log opens at its end. The newest 50 are kept. */
export function keepPlace(session: string, place: ReadingPlace | undefined): void {
  const others = stored().filter(([id]) => id !== session);
  const all = place === undefined ? others : [...others, [session, place] as const].slice(-most);
  remember(name, all.length === 0 ? undefined : JSON.stringify(all));
}

export function placeOf(session: string): ReadingPlace | undefined {
  return stored().find(([id]) => id === session)?.[1];
}

function stored(): (readonly [string, ReadingPlace])[] {
  try {
    const list: unknown = JSON.parse(recall(name) ?? '[]');
    return Array.isArray(list) ? list.flatMap(entryOf) : [];
  } catch {
    return [];
  }
}

function entryOf(entry: unknown): (readonly [string, ReadingPlace])[] {
  if (!Array.isArray(entry)) return [];
  const [id, place]: unknown[] = entry;
  const { seq, key, offset }: Partial<Record<string, unknown>> = Object(place);
  if (typeof id !== 'string' || typeof seq !== 'number' || typeof key !== 'string' || typeof offset !== 'number')
    return [];
  return [[id, { seq, key, offset }]];
}

/** The events that an address names: `#e12`, or `#e12-40`. */
export interface Target {
  from: number;
  to: number;
}

/** Returns the address of what is shown now, at an event. */
export function permalinkOf(seq: number): string {
  const here = new URL(location.href);
  here.hash = `e${seq}`;
  return here.href;
}

export function targetOf(hash: string): Target | undefined {
  const [, from, to] = /^#?e(\d{1,12})(?:-(\d{1,12}))?$/.exec(hash) ?? [];
  if (from === undefined) return undefined;
  const first = Number(from);
  return { from: first, to: Math.max(first, Number(to ?? from)) };
}
