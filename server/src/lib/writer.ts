/**
 * Who wrote last what runs in the sandboxes of others, as a row keeps it: `administrator`, or `<type>:<id>` of anybody else;
 * `''` where several had a hand in it, or nobody knows.
 */
export type Writer = string;

/** Trusted by everybody: it was written with the scope `org:write`. */
export const administrator: Writer = 'administrator';

/**
 * Who answers for a thing after somebody wrote to it. `whole`: they named all of it again, so none of it is anybody else's.
 * What stays as it is stays whose it is, unless an administrator names all of it: that is how one vouches for it.
 */
export function writerAfter(before: Writer, author: Writer, write: { changes: boolean; whole: boolean }): Writer {
  if (!write.changes) return write.whole && author === administrator ? author : before;
  return write.whole || before === author ? author : '';
}

/** Whether a thing may run beside what is `owner`'s alone (`<type>:<id>`). */
export function mayRunFor(writer: Writer, owner: string): boolean {
  return writer !== '' && (writer === administrator || writer === owner);
}
