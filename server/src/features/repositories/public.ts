/** The parts of repositories that reviews use. */
export { openOnBranches, readPlace, type ChangeRequestRow } from './change-request-store.ts';
export { insertComment, lockComment, updateCommentRow } from './comment-store.ts';
export { lockRepository } from './store.ts';
