/** The parts of repositories that other groups use. */
export { beginAutoMerge, endAutoMerge, endAutoMergeOn, type MergePlace } from './auto-merge-service.ts';
export { readAutoMerge } from './auto-merge-store.ts';
export { openOnBranches, readChangeRequest, readPlace, type ChangeRequestRow } from './change-request-store.ts';
export { readOwner, readSessionsOf } from './continue-store.ts';
export { insertComment } from './comment-store.ts';
export { lockRepository, repositoriesOfConnection, updateRepositoryRow } from './store.ts';
