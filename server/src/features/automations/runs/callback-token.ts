import { createHash, randomBytes } from 'node:crypto';
import type { AuthenticatedCaller, RequestFacts } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { findTokenByHash } from './token-store.ts';

/** Callback tokens: 256 random bits, valid for one attempt of a run. */
const prefix = 'guildrun_';
const form = /^guildrun_[0-9a-f]{64}$/;

export function newCallbackToken(): string {
  return prefix + randomBytes(32).toString('hex');
}

export function isCallbackToken(token: string): boolean {
  return form.test(token);
}

/** Hashes a token for storage: SHA-256 in hexadecimal. */
export function hashCallbackToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Creates the authenticator of callback tokens. A token speaks for the principal that claimed the run, and only where
 * reports arrive. The IP access list does not apply: executors run anywhere. Throws 401 `unauthorized`.
 */
export function createCallbackAuthenticator(ctx: Pick<Context, 'db'>) {
  return async (token: string, request: RequestFacts): Promise<AuthenticatedCaller> => {
    const row = await findTokenByHash(ctx.db.kysely, hashCallbackToken(token));
    if (row === undefined)
      throw new AppError('unauthorized', 'Invalid callback token. Send the token from the claim of the run.');
    return {
      organization: { id: row.org_id, slug: row.org_slug, name: row.org_name, state: row.org_state },
      principal: { type: row.principal_type, id: row.principal_id, name: row.principal_name, email: '' },
      scopes: new Set(['run']),
      permission: '',
      role: '',
      credential: {
        kind: 'callback_token',
        id: row.id,
        prefix,
        last4: row.last4,
        createdAt: row.created_at,
        expiresAt: null,
        ipRanges: [],
        lastUsedAt: null,
      },
      request,
    };
  };
}
