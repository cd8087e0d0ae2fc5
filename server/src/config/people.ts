import { list, oneOf, UsageError } from './values.ts';
import { permissions, type Permission } from '../lib/scopes.ts';

/** Variables with secrets of mail and sign-in. */
export const peopleSecrets = new Set(['GUILDHALL_SMTP_URL', 'GUILDHALL_OIDC_CLIENT_SECRET']);

/** The mail server. */
export interface SmtpConfig {
  /** May contain a password, so it is a function that printing does not reveal. */
  readonly url: () => string;
  readonly from: string;
}

/** The identity provider for single sign-on. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: () => string;
  /** The label of the button. */
  readonly name: string;
  readonly scopes: string;
  /** The claim with a user's groups. */
  readonly groupsClaim: string;
  /** The memberships that groups grant. */
  readonly groups: readonly GroupRule[];
}

export interface GroupRule {
  readonly group: string;
  /** Id or slug. */
  readonly organization: string;
  readonly permission: Permission;
}

/** Parses the settings of the mail server. `read` returns `''` for an unset variable. Throws {@link UsageError}. */
export function smtp(read: (name: string) => string, publicUrl: string): SmtpConfig | undefined {
  const url = read('GUILDHALL_SMTP_URL');
  if (url === '') return undefined;
  const parsed = URL.parse(url);
  // The message must not contain the value, which may have a password.
  if (parsed === null || !['smtp:', 'smtps:'].includes(parsed.protocol) || parsed.hostname === '')
    throw new UsageError('GUILDHALL_SMTP_URL must be smtp://[user:password@]host[:port] or smtps://….');
  const from = read('GUILDHALL_SMTP_FROM') || `Guildhall <guildhall@${URL.parse(publicUrl)?.hostname ?? 'localhost'}>`;
  if (/[\r\n]/.test(from) || !from.includes('@'))
    throw new UsageError(`GUILDHALL_SMTP_FROM is ${JSON.stringify(from)}; it must be an address.`);
  return Object.freeze({ url: () => url, from });
}

/** Parses the settings of the identity provider, in the same way. */
export function oidc(read: (name: string) => string): OidcConfig | undefined {
  const issuer = read('GUILDHALL_OIDC_ISSUER');
  const clientId = read('GUILDHALL_OIDC_CLIENT_ID');
  if (issuer === '') {
    if (clientId !== '') throw new UsageError('GUILDHALL_OIDC_CLIENT_ID needs GUILDHALL_OIDC_ISSUER.');
    return undefined;
  }
  const url = URL.parse(issuer);
  const isLocal = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) || url.username !== '')
    throw new UsageError(
      `GUILDHALL_OIDC_ISSUER is ${JSON.stringify(issuer)}; it must be an https URL (http on this machine alone).`,
    );
  if (clientId === '') throw new UsageError('GUILDHALL_OIDC_ISSUER needs GUILDHALL_OIDC_CLIENT_ID.');
  const clientSecret = read('GUILDHALL_OIDC_CLIENT_SECRET');
  const scopes = read('GUILDHALL_OIDC_SCOPES') || 'openid profile email';
  if (!scopes.split(' ').includes('openid'))
    throw new UsageError(`GUILDHALL_OIDC_SCOPES is ${JSON.stringify(scopes)}; openid must be among them.`);
  return Object.freeze({
    issuer,
    clientId,
    clientSecret: () => clientSecret,
    name: read('GUILDHALL_OIDC_NAME') || url.host,
    scopes,
    groupsClaim: read('GUILDHALL_OIDC_GROUPS_CLAIM') || 'groups',
    groups: Object.freeze(list(read('GUILDHALL_OIDC_GROUPS')).map(groupRule)),
  });
}

/** Parses `<group>=<organization>:<permission>`; a group's name may contain both signs. */
function groupRule(value: string): GroupRule {
  const [, group = '', organization = '', permission = ''] = /^(.+)=([^=:]+):([^:]+)$/.exec(value) ?? [];
  if (group === '')
    throw new UsageError(
      `GUILDHALL_OIDC_GROUPS has ${JSON.stringify(value)}; it must be <group>=<organization>:<permission>.`,
    );
  return Object.freeze({ group, organization, permission: oneOf('GUILDHALL_OIDC_GROUPS', permission, permissions) });
}
