import { randomBytes } from 'node:crypto';
import { slugOf } from '../../lib/slug.ts';

/** Derives a slug from the name; a suffix keeps it unique. */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const start = slugOf(name, 32) || 'server';
  if (!taken.has(start)) return start;
  for (let number = 2; number < 100; number++) if (!taken.has(`${start}-${number}`)) return `${start}-${number}`;
  return `${start}-${randomBytes(3).toString('hex')}`;
}
