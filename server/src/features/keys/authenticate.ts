import type { AuthenticatedCaller, KeyCredential, RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { inRanges } from '../../lib/cidr.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { audienceOf, hashKey, type Audience } from '../../lib/keys.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { createUseNotes } from '../../lib/use-notes.ts';
import { createAddressGuard } from '../ip-access-list/guard.ts';
import { findKeyByHash, touchKeys, type AuthenticationRow, type KeyUse } from './store.ts';

export interface Authenticator {
  /**
   * Resolves the holder of a key; looked up for each request, so that a revocation takes effect at once on every process. An MCP
   * token is accepted only for the audience `mcp`.
   */
  authenticate(token: string, facts: RequestFacts, audience: Audience | 'callback'): Promise<AuthenticatedCaller>;
  /** Writes pending last-use times. */
  close(): Promise<void>;
}

/** Creates the authenticator; `refused` is called when a known key is denied. */
export function createAuthenticator(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  refused: (caller: AuthenticatedCaller, code: ErrorCode) => void,
): Authenticator {
  const guard = createAddressGuard(ctx);
  const notes = createUseNotes<KeyUse>(ctx.log, 'keys', (uses) => touchKeys(ctx.db, uses));
  return {
    async authenticate(token, facts, audience) {
      const opens = audienceOf(token);
      if (opens === 'mcp' && audience !== 'mcp')
        throw new AppError('unauthorized', 'An MCP token is valid only for /mcp. Send an API key here.');
      const row = opens === undefined ? undefined : await findKeyByHash(ctx.db, hashKey(token));
      if (row === undefined) throw new AppError('unauthorized', 'Invalid API key. Create a key in this installation.');
      const now = ctx.clock.now();
      try {
        check(row, facts, now);
        // A sandbox sends requests through its worker, from any address.
        if (row.ip_list_enabled && row.principal_type !== 'session')
          await guard(row.org_id, row.ip_list_revision, facts.ip);
      } catch (error) {
        if (error instanceof AppError) refused(callerOf(row, facts), error.code);
        throw error;
      }
      notes.note(row.id, { id: row.id, at: now }, row.last_used_at);
      return callerOf(row, facts);
    },
    close: () => notes.close(),
  };
}

function check(row: AuthenticationRow, facts: RequestFacts, now: Date): void {
  if (row.revoked_at !== null || row.service_user_disabled)
    throw new AppError('key_revoked', 'This key was revoked. Issue a new one.');
  if (row.expires_at !== null && row.expires_at <= now)
    throw new AppError('key_expired', `This key expired at ${row.expires_at.toISOString()}. Issue a new one.`);
  if (row.principal_type === 'user' && row.permission === null)
    throw new AppError('key_revoked', 'The owner of this key is no longer a member of the organization.');
  if (row.principal_type === 'app' && row.app_name === null)
    throw new AppError('key_revoked', 'The app of this key was deleted.');
  if (row.principal_type === 'session' && (row.session_title === null || !row.fence_holds))
    throw new AppError('key_revoked', 'This key expired with the session run it belonged to.');
  if (row.ip_ranges.length > 0 && !inRanges(facts.ip, row.ip_ranges))
    throw new AppError('ip_not_allowed', `This key cannot be used from ${facts.ip}. Use an address in its ip_ranges.`);
}

function callerOf(row: AuthenticationRow, request: RequestFacts): AuthenticatedCaller {
  return {
    organization: { id: row.org_id, slug: row.org_slug, name: row.org_name, state: row.org_state },
    principal: {
      type: row.principal_type,
      id: row.principal_id,
      name: row.user_name ?? row.service_user_name ?? row.app_name ?? row.session_title ?? '',
      email: row.user_email ?? '',
    },
    scopes: scopeSet(row.permission, row.scopes),
    permission: row.permission ?? '',
    role: row.role ?? '',
    credential: {
      kind: kindOf(row),
      id: row.id,
      prefix: row.prefix,
      last4: row.last4,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ipRanges: row.ip_ranges,
      lastUsedAt: row.last_used_at,
    },
    request,
  };
}

function kindOf({ audience, principal_type: type }: AuthenticationRow): KeyCredential['kind'] {
  if (audience === 'mcp') return 'tool_token';
  return type === 'session' ? 'session_key' : 'key';
}
