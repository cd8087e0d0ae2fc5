import { isReserved } from '../../../features/secrets/rules.ts';
import type { SessionSecret } from '../../../features/secrets/public.ts';
import type { BrokerCredential } from '../../../gateway/session.ts';
import { credentialHeader, gitCredential } from '../../../lib/credentials.ts';

/** What the gateway adds for the secrets that stay outside of the sandbox. */
export function brokerCredentials(secrets: readonly SessionSecret[]): readonly BrokerCredential[] {
  const taken = new Set(secrets.map(({ key }) => key));
  return secrets
    .filter(({ exposure }) => exposure === 'broker')
    .flatMap((secret) => {
      const urlVariable = `${secret.key}_URL`;
      return credentialOf(secret, taken.has(urlVariable) || isReserved(urlVariable) ? '' : urlVariable) ?? [];
    });
}

/** Undefined for a value that cannot stand in a header, which none that was accepted is. */
function credentialOf(secret: SessionSecret, urlVariable: string): BrokerCredential | undefined {
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

/** What git in a sandbox answers a host with, by the file that holds it: as `git credential` writes it. */
export function gitCredentialFiles(secrets: readonly SessionSecret[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { key, kind, exposure, value } of secrets) {
    const pair = kind === 'git_credential' && exposure === 'sandbox' ? gitCredential(value) : undefined;
    if (pair !== undefined) files[key] = `username=${pair.username}\npassword=${pair.password}\n`;
  }
  return files;
}

/** git's configuration for those files, each for the hosts of its secret. */
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
