import type { Provider } from '../../../lib/providers.ts';
import type { Collaboration } from '../collaboration.ts';

export type Member = keyof Collaboration;

/**
 * The members of {@link Collaboration} that each provider offers. The contract suite judges each of them, and each provider must
 * offer exactly these.
 */
export const offered: Readonly<Record<Provider, readonly Member[]>> = {
  local: [
    'checks',
    'setStatus',
    'discussion',
    'reply',
    'resolveThread',
    'submitReview',
    'updateComment',
    'acknowledge',
    'permissionOf',
    'deleteBranch',
    'changedChangeRequests',
  ],
  github: [
    'checks',
    'failureLog',
    'rerun',
    'setStatus',
    'discussion',
    'reply',
    'resolveThread',
    'submitReview',
    'updateComment',
    'acknowledge',
    'permissionOf',
    'enableAutoMerge',
    'disableAutoMerge',
    'deleteBranch',
    'changedChangeRequests',
    'changedIssues',
    'issue',
    'issueComments',
    'commentOnIssue',
    'ensureWebhook',
    'redeliver',
    'deliveryId',
    'readDelivery',
  ],
  gitlab: [
    'checks',
    'failureLog',
    'rerun',
    'setStatus',
    'discussion',
    'reply',
    'resolveThread',
    'submitReview',
    'updateComment',
    'acknowledge',
    'permissionOf',
    'enableAutoMerge',
    'disableAutoMerge',
    'deleteBranch',
    'changedChangeRequests',
    'changedIssues',
    'issue',
    'issueComments',
    'commentOnIssue',
    'ensureWebhook',
    'deliveryId',
    'readDelivery',
  ],
  pagure: [
    'checks',
    'setStatus',
    'discussion',
    'reply',
    'submitReview',
    'permissionOf',
    'deleteBranch',
    'changedChangeRequests',
    'changedIssues',
    'issue',
    'issueComments',
    'commentOnIssue',
    'ensureWebhook',
    'deliveryId',
    'readDelivery',
  ],
};

/** All members, with what they are for. */
export const members: Readonly<Record<Member, string>> = {
  checks: 'list the checks of a commit',
  failureLog: "read a failed check's log",
  rerun: 'run a failed check again',
  setStatus: 'set a status on a commit',
  discussion: 'read comments, reviews and threads',
  reply: 'reply in a thread',
  resolveThread: 'resolve a thread',
  submitReview: 'post a review',
  updateComment: 'rewrite a comment',
  acknowledge: 'acknowledge a comment',
  permissionOf: "read an account's permission",
  enableAutoMerge: 'let the host merge',
  disableAutoMerge: 'keep the host from merging',
  deleteBranch: 'delete a branch',
  changedChangeRequests: 'find changed change requests',
  changedIssues: 'find changed issues',
  issue: 'read an issue',
  issueComments: 'read the comments of an issue',
  commentOnIssue: 'comment on an issue',
  ensureWebhook: 'create the webhook',
  redeliver: 'deliver again what failed',
  deliveryId: "read a delivery's id",
  readDelivery: 'read a delivery',
};

/** Returns which provider offers what, as a table in Markdown. */
export function offeredTable(providers: readonly Provider[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(members).map(([member, purpose]) =>
    row([purpose, ...providers.map((provider) => (offered[provider].some((one) => one === member) ? 'yes' : 'no'))]),
  );
  return [row(['', ...providers]), `|${'---|'.repeat(providers.length + 1)}`, ...rows].join('\n');
}
