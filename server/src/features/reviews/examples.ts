import type { Examples } from '../../http/examples.ts';
import type { CreateReview, ReplaceReviewPolicy, UpdateFinding } from './schemas.ts';

export const createReview: Examples<typeof CreateReview> = {
  'A change request of the built-in git host': {
    provider: 'local',
    repo: 'acme/shop',
    number: 7,
    instructions: 'Look closely at the migration.',
  },
};

export const updateFinding: Examples<typeof UpdateFinding> = {
  'By design': { status: 'dismissed', reason: 'The cache may be stale for a minute.' },
};

export const replaceReviewPolicy: Examples<typeof ReplaceReviewPolicy> = {
  'Linters on each push': { mode: 'every_push', request_changes_from: 'high' },
};
