import { hash } from 'node:crypto';

/**
 * An entry as the database writes it, a value a line: `changes`, the instant, the actor's name and the user agent as JSON, in
 * which no line breaks; the rest, made by the program of characters that need no escape, as it is.
 */
export type EntryText = string;
export const entryLines = 13;

/** A value as RFC 8785 (JSON Canonicalization Scheme) writes it: no spaces, keys by their UTF-16 code units. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // What `sort` compares are UTF-16 code units.
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(Reflect.get(value, key))}`);
  return `{${members.join(',')}}`;
}

/** What PostgreSQL wrote as `changes`, in the canonical form. */
function canonicalChanges(changes = ''): string {
  return changes === '{}' ? changes : canonicalJson(JSON.parse(changes));
}

/** The whole entry in the canonical form; without its hash where that is still to be computed. */
function canonicalEntry(lines: readonly string[], link: { seq: number; prevHash: string; hash?: string }): string {
  const [changes, createdAt, display, userAgent, ...values] = lines;
  const [action, actorId, actorType, id, ip, outcome, requestId, resourceId, resourceType] = values.map((value) =>
    JSON.stringify(value),
  );
  const hashed = link.hash === undefined ? '' : `"hash":"${link.hash}",`;
  return (
    `{"action":${action},"actor":{"display":${display},"id":${actorId},"type":${actorType}},` +
    `"changes":${canonicalChanges(changes)},"created_at":"${createdAt}",${hashed}"id":${id},"ip":${ip},` +
    `"outcome":${outcome},"prev_hash":"${link.prevHash}","request_id":${requestId},` +
    `"resource":{"id":${resourceId},"type":${resourceType}},"seq":${link.seq},"user_agent":${userAgent}}`
  );
}

/**
 * The hash of an entry's link, from the lines of its text: SHA-256 of the entry as the API shows it, without `hash`, in the
 * canonical form of RFC 8785. `seq` and `prev_hash` are part of it, so that no entry can be changed, moved or left out.
 */
export function hashOfLink(lines: readonly string[], seq: number, prevHash: string): string {
  return hash('sha256', canonicalEntry(lines, { seq, prevHash }));
}

/** The whole entry, with its hash, in the canonical form: a line of the export. */
export function lineOfEntry(text: EntryText, link: { seq: number; prevHash: string; hash: string }): string {
  return canonicalEntry(text.split('\n'), link);
}
