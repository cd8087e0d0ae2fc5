import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { type AppState, type Grant, refusal, type Repository, type TokenGrant } from './state.ts';

/** The App of the fake, and every token that it accepts. */
export interface Grants {
  readonly app: AppState & { readonly privateKey: string };
  /** Creates a personal access token. */
  add(grant: Omit<TokenGrant, 'kind'>): string;
  revoke(token: string): void;
  /** Creates an installation token, which ends after an hour. */
  mint(permissions: Readonly<Record<string, string>>, repositories: readonly number[] | undefined): string;
  /** Returns what a token grants. Throws 401. */
  of(token: string): Grant;
  /** Returns every token that was created. */
  tokens(): string[];
}

export const everyPermission = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
};

export function createGrants(now: () => Date): Grants {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const app = {
    id: '4711',
    slug: 'guildhall',
    publicKey,
    privateKey,
    installationId: '1138',
    permissions: { ...everyPermission },
    suspendedAt: null,
    isInstalled: true,
  };
  const tokens = new Map<string, Grant>();
  const add = (prefix: string, grant: Grant): string => {
    const token = `${prefix}${randomBytes(18).toString('hex')}`;
    tokens.set(token, grant);
    return token;
  };
  return {
    app,
    add: (grant) => add(grant.scopes === undefined ? 'github_pat_' : 'ghp_', { kind: 'token', ...grant }),
    revoke: (token) => void tokens.delete(token),
    mint: (permissions, repositories) =>
      add('ghs_', {
        kind: 'installation',
        permissions,
        repositories,
        expiresAt: new Date(now().getTime() + 3_600_000),
      }),
    of(token) {
      if (token.split('.').length === 3) return verifyJwt(app, token, now());
      const grant = tokens.get(token);
      if (grant === undefined || (grant.kind === 'installation' && grant.expiresAt <= now()))
        throw refusal(401, 'Bad credentials');
      return grant;
    },
    tokens: () => [...tokens.keys()],
  };
}

/** Verifies an App's token as GitHub documents it: RS256, at most ten minutes, with the App's id as issuer. */
function verifyJwt(app: AppState, token: string, now: Date): Grant {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = decode(payload);
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${payload}`),
    createPublicKey(app.publicKey),
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || decode(header)['alg'] !== 'RS256') throw refusal(401, 'A JSON web token could not be decoded');
  if (claims['iss'] !== app.id) throw refusal(404, 'Integration not found');
  const seconds = now.getTime() / 1_000;
  const [issued, expires] = [Number(claims['iat']), Number(claims['exp'])];
  if (!(issued <= seconds))
    throw refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  if (!(expires > seconds && expires <= seconds + 600))
    throw refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  return { kind: 'app' };
}

function decode(part: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8') || '{}');
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Returns true if a grant may see a repository. */
export function sees(grant: Grant, { id, isPrivate }: Repository): boolean {
  if (grant.kind === 'app') return false;
  if (grant.kind === 'installation') return !isPrivate || (grant.repositories?.includes(id) ?? true);
  return !isPrivate || grant.scopes === undefined || grant.scopes.includes('repo');
}

/** Returns true if a grant has a permission in a repository that it sees. */
export function allows(grant: Grant, repository: Repository, permission: string, level: string): boolean {
  if (grant.kind === 'app') return false;
  if (grant.kind === 'installation' && grant.repositories?.includes(repository.id) === false)
    return level === 'read' && !repository.isPrivate;
  if (grant.kind === 'token' && grant.scopes !== undefined) return level === 'read' || grant.scopes.includes('repo');
  const granted = grant.permissions?.[permission];
  return granted === 'write' || (granted === 'read' && level === 'read');
}
