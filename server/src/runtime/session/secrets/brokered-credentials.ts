import { isReserved } from '../../../features/secrets/rules.ts';
import type { SessionSecret } from '../../../features/secrets/public.ts';
import type { BrokerCredential } from '../../../gateway/session.ts';
import { credentialHeader, gitCredential } from '../../../lib/credentials.ts';

/** Returns the credentials that the gateway adds to requests, for secrets with the exposure `broker`. */
export function brokerCredentials(secrets: readonly SessionSecret[]): readonly BrokerCredential[] {
  const taken = new Set(secrets.map(({ key }) => key));
  return secrets
    .filter(({ exposure }) => exposure === 'broker')
    .flatMap((secret) => {
      const urlVariable = `${secret.key}_URL`;
      return toCredential(secret, taken.has(urlVariable) || isReserved(urlVariable) ? '' : urlVariable) ?? [];
    });
}

/** Undefined for a value that is not valid in a header; the API accepts no such value. */
function toCredential(secret: SessionSecret, urlVariable: string): BrokerCredential | undefined {
  const { key: name, kind, value, allowedHosts } = secret;
  if (kind === 'git_credential') {
    const pair = gitCredential(value);
    if (pair === undefined) return undefined;
    const basic = Buffer.from(`${pair.username}:${pair.password}`).toString('base64');
    const header = { name: 'authorization', value: `Basic ${basic}` };
    return { name, urlVariable, allowedHosts, use: 'git', header, values: [value, pair.password] };
  }
  const header = credentialHeader(value);
  if (header === undefined) return undefined;
  return { name, urlVariable, allowedHosts, use: 'http', header, values: [value, header.value] };
}

/** Files with git credentials by secret, in the format of `git credential`. */
export function gitCredentialFiles(secrets: readonly SessionSecret[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { key, kind, exposure, value } of secrets) {
    const pair = kind === 'git_credential' && exposure === 'sandbox' ? gitCredential(value) : undefined;
    if (pair !== undefined) files[key] = `username=${pair.username}\npassword=${pair.password}\n`;
  }
  return files;
}

/** Git configuration that uses these files for the hosts of each secret. */
export function gitCredentialHelpers(
  secrets: readonly SessionSecret[],
  paths: Readonly<Record<string, string>>,
): [name: string, value: string][] {
  return secrets.flatMap(({ key, allowedHosts }) => {
    const path = paths[key];
    if (path === undefined) return [];
    const helper = `!f() { test "$1" = get && cat '${path.replaceAll("'", String.raw`'\''`)}'; }; f`;
    return allowedHosts.map((host): [string, string] => [`credential.https://${host}.helper`, helper]);
  });
}
