import { AppError } from './errors.ts';

/**
 * Checks the `If-Match` header: a list of revisions in quotation marks, or `*` for any (RFC 9110, section 13.1.1). Call it
 * while the object is locked. Throws 412 `revision_conflict`.
 */
export function requireRevision(ifMatch: string | undefined, revision: number): void {
  if (ifMatch === undefined) return;
  const tags = new Set(ifMatch.split(',').map((tag) => tag.trim()));
  if (tags.has('*') || tags.has(`"${revision}"`)) return;
  throw new AppError(
    'revision_conflict',
    `The current revision is ${revision}, not ${ifMatch.slice(0, 100)}. Read it again, and send If-Match: "${revision}".`,
    { revision },
  );
}
