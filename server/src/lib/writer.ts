/**
 * The author of content that runs in the sandboxes of others, as stored: `administrator`, or `<type>:<id>` of anybody else;
 * `''` when several contributed, or unknown.
 */
export type Writer = string;

/** Trusted by everybody: written with the scope `org:write`. */
export const administrator: Writer = 'administrator';

/**
 * Returns the author after a write. `whole`: the author sent all of it, so nothing remains of anybody else. An unchanged thing
 * keeps its author, unless an administrator sends all of it, which vouches for it.
 */
export function writerAfter(before: Writer, author: Writer, write: { changes: boolean; whole: boolean }): Writer {
  if (!write.changes) return write.whole && author === administrator ? author : before;
  return write.whole || before === author ? author : '';
}

/** Returns true if a thing may run together with private data of `owner` (`<type>:<id>`). */
export function mayRunFor(writer: Writer, owner: string): boolean {
  return writer !== '' && (writer === administrator || writer === owner);
}
