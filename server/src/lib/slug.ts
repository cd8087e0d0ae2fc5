import { trimEndOf, trimOf } from './trim.ts';

/** Makes a text part of a name or path: lower-case letters and digits, joined by hyphens; may be `''`. */
export function slugOf(text: string, maxLength: number): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return trimEndOf(trimOf(plain, '-').slice(0, maxLength), '-');
}
