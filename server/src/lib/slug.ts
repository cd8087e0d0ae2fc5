import { trimEndOf, trimOf } from './trim.ts';

/** A text as part of a name or a path: lower-case letters and digits, with a hyphen for what is between them; may be `''`. */
export function slugOf(text: string, maxLength: number): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return trimEndOf(trimOf(plain, '-').slice(0, maxLength), '-');
}
