/** The events that an App or a webhook subscribes to, in GitHub's words. */
export const githubEvents = [
  'push',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'issue_comment',
  'issues',
  'check_run',
  'check_suite',
  'status',
  'workflow_run',
  'repository',
] as const;
