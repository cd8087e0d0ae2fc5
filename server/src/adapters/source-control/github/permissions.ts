/** The permissions that an App's installation needs, in GitHub's words. Workflows are not among them, so no agent changes these. */
const appPermissions = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
} as const;

/** Returns the needed permissions that an installation does not have, such as `checks: write`. */
export function missingAppPermissions(granted: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(appPermissions)
    .filter(([name, level]) => granted[name] !== level && granted[name] !== 'write' && granted[name] !== 'admin')
    .map(([name, level]) => `${name}: ${level}`);
}

/** Returns the scopes that a classic token lacks, from the header with its scopes. */
export function missingScopes(scopes: string): string[] {
  return scopes.split(',').some((scope) => scope.trim() === 'repo') ? [] : ['repo'];
}
