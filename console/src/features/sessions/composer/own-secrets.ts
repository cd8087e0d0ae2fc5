import type { Schemas } from '../../../lib/api.ts';

type SessionSecret = NonNullable<Schemas['CreateSessionRequest']['session_secrets']>[number];

/** A secret for one session. The page holds it until the session starts; it is stored nowhere else. */
export interface OwnSecret {
  key: string;
  value: string;
  way: Way;
  /** Host names, parted by spaces or commas. */
  hosts: string;
}

export const ways = [
  ['env', 'In a variable'],
  ['file', 'In a file, with its path in the variable'],
  ['broker', 'Outside: the gateway adds it to requests'],
  ['git_credential', 'For git over HTTPS'],
] as const;

export type Way = (typeof ways)[number][0];

export const newSecret: OwnSecret = { key: '', value: '', way: 'env', hosts: '' };

export function isWay(value: string): value is Way {
  return ways.some(([way]) => way === value);
}

/** True if the value goes to some hosts only, which must be named. */
export function hasHosts({ way }: OwnSecret): boolean {
  return way === 'broker' || way === 'git_credential';
}

/** Returns the secrets of a request. */
export function sessionSecretsOf(secrets: readonly OwnSecret[]): SessionSecret[] {
  return secrets.map((secret) => {
    const { key, value, way, hosts } = secret;
    return {
      key: key.trim(),
      value,
      ...(way === 'broker' ? { exposure: 'broker' as const } : { kind: way }),
      ...(hasHosts(secret) ? { allowed_hosts: hosts.split(/[\s,]+/).filter((host) => host !== '') } : {}),
    };
  });
}
