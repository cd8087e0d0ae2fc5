import { hash } from 'node:crypto';

/**
 * An entry as the database writes it, in the canonical form but for the values that stand between the parts: `changes`
 * (whose keys PostgreSQL orders its own way), `hash`, `prev_hash` and `seq`.
 */
export type EntryText = string;

/** A value as RFC 8785 (JSON Canonicalization Scheme) writes it: no spaces, keys by their UTF-16 code units. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // What `sort` compares are UTF-16 code units.
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(Reflect.get(value, key))}`);
  return `{${members.join(',')}}`;
}

/** Splits what the database wrote. JSON text holds no line break, so one separates the parts. */
function partsOf(text: EntryText): string[] {
  const parts = text.split('\n');
  const changes = parts[1] ?? '';
  if (changes !== '{}') parts[1] = canonicalJson(JSON.parse(changes));
  return parts;
}

/**
 * The hash of an entry's link: SHA-256 of the entry as the API shows it, without `hash`, in the canonical form of RFC
 * 8785. `seq` and `prev_hash` are part of it, so that no entry can be changed, moved or left out.
 */
export function hashOfLink(text: EntryText, seq: number, prevHash: string): string {
  const [action, changes, createdAt, id, requestId, userAgent] = partsOf(text);
  return hash('sha256', `${action}${changes}${createdAt}${id}${prevHash}${requestId}${seq}${userAgent}`);
}

/** The whole entry, with its hash, in the canonical form: a line of the export. */
export function lineOfEntry(text: EntryText, link: { seq: number; prevHash: string; hash: string }): string {
  const [action, changes, createdAt, id, requestId, userAgent] = partsOf(text);
  const own = `"hash":"${link.hash}",`;
  return `${action}${changes}${createdAt}${own}${id}${link.prevHash}${requestId}${link.seq}${userAgent}`;
}
