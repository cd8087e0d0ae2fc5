/**
 * Every variable of Guildhall that is read, so that a misspelled one is detected. Variables with one of the prefixes
 * are for tests, or are set in sandboxes.
 */
const names = new Set(
  `ADMIN_EMAIL BLOBS CACHE_MAX CLONE_MAX DATA DISK_RESERVE DRAIN_DELAY EGRESS_ALLOW HOST KEY_RING LOG_FORMAT LOG_LEVEL METRICS_PORT MODEL MODEL_PRICES
  OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_GROUPS OIDC_GROUPS_CLAIM OIDC_ISSUER OIDC_NAME OIDC_SCOPES PORT PROCESSES RATE_LIMIT
  ORGANIZATIONS ORGANIZATIONS_PER_PERSON PREPARED_SANDBOXES REGISTRY_FILES REPOSITORIES ROLE SANDBOX SANDBOX_MAX SLOTS SMTP_FROM SMTP_URL STORAGE_MAX TRUSTED_PROXIES URL WORKER_HOST`
    .split(/\s+/)
    .map((name) => `GUILDHALL_${name}`),
);
const foreign = /^GUILDHALL_(?:TEST_|BROKER_URL$|SESSION_ID$)/;

/** Returns a sentence for each variable that is set but not used. `also` are names that the operator chose. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  also: readonly string[],
): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('GUILDHALL_') && !names.has(name) && !foreign.test(name) && !also.includes(name))
    .map((name) => {
      const near = closest(name);
      return `${name} is set, and nothing reads it.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    });
}

function closest(name: string): string | undefined {
  const [best] = [...names]
    .map((known) => ({ known, distance: distance(name, known) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= 3 ? best.known : undefined;
}

/** Returns the Levenshtein distance: added, removed and changed letters. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of to.split('').entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[to.length] ?? 0;
}
