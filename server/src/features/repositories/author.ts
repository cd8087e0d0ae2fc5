import type { Caller } from '../../caller.ts';
import type { Person } from '../../git/bare.ts';

/** Returns the author of a commit that the platform creates for a caller. */
export function authorOf({ name, email, id }: Caller['principal']): Person {
  return { name: name || 'Guildhall', email: email || `${id}@guildhall.invalid` };
}
