import { hash } from 'node:crypto';

/**
 * An entry as written by the database, one value per line: `changes`, the time, and the actor's name and user agent as
 * JSON without line breaks; the other values need no escaping and are written unchanged.
 */
export type EntryText = string;
export const entryLines = 13;

/** Formats a value by RFC 8785 (JSON Canonicalization Scheme): no spaces, keys sorted by their UTF-16 code units. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // `sort` compares UTF-16 code units.
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(Reflect.get(value, key))}`);
  return `{${members.join(',')}}`;
}

/** Converts `changes` from PostgreSQL's form to the canonical one. */
function canonicalChanges(changes = ''): string {
  return changes === '{}' ? changes : canonicalJson(JSON.parse(changes));
}

/** Returns the whole entry in canonical form; without its hash if that is yet to be computed. */
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
 * Returns the hash of an entry's link, from the lines of its text: the SHA-256 of the entry as the API returns it,
 * without `hash`, in the canonical form of RFC 8785. It covers `seq` and `prev_hash`, so that no entry can be changed,
 * moved or omitted unnoticed.
 */
export function hashOfLink(lines: readonly string[], seq: number, prevHash: string): string {
  return hash('sha256', canonicalEntry(lines, { seq, prevHash }));
}

/** Returns the whole entry, with its hash, in canonical form: one line of the export. */
export function lineOfEntry(text: EntryText, link: { seq: number; prevHash: string; hash: string }): string {
  return canonicalEntry(text.split('\n'), link);
}
