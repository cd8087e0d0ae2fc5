import type { Context } from '../../../app/context.ts';
import type { SessionKeyRules } from '../../../http/session-keys.ts';
import { issueKey, ownerOf, revokeLockedKeys } from '../../keys/service.ts';
import { LeaseLost, type Run, type RunContext } from './run-service.ts';
import { lockRun } from '../store/run-store.ts';
import { readParentId } from '../store/session-store.ts';

const sessions = '/v3/organizations/:orgId/sessions';
const others: ReadonlySet<string> = new Set(['GET /v3/self', `POST ${sessions}`]);

/** For people: an agent has its sandbox already. */
const peoples: ReadonlySet<string> = new Set(['/:id/terminal', '/:id/preview/:port', '/:id/preview/:port/*']);

/** The rules for a session's key: it reads its own session and its children, and starts children. */
export function sessionKeyRules(ctx: Pick<Context, 'db'>): SessionKeyRules {
  return {
    admits: (method, route) =>
      others.has(`${method} ${route}`) ||
      (method === 'GET' && `${route}/`.startsWith(`${sessions}/:id/`) && !peoples.has(route.slice(sessions.length))),
    reaches: async ({ organization, principal }, id) =>
      id === principal.id || (await readParentId(ctx.db.kysely, organization.id, id)) === principal.id,
  };
}

const lastsMs = 24 * 3_600_000;

export interface SessionKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: Date;
}

/**
 * Creates a key of the session that is valid only for this run: a new fencing token or the end of the run revokes it.
 * Throws {@link LeaseLost}.
 */
export async function issueSessionKey(ctx: RunContext, run: Run): Promise<SessionKey> {
  const now = ctx.clock.now();
  const expiresAt = new Date(now.getTime() + lastsMs);
  return ctx.db.transaction(async (trx) => {
    if ((await lockRun(trx, run.id, run.fence)) === undefined) throw new LeaseLost(run.id);
    const owner = ownerOf(run.orgId, 'session', run.id);
    const { fence } = run;
    const scopes = ['sessions:read', 'run'] as const;
    const { id, key } = await issueKey(trx, { owner, name: 'sandbox', scopes, expiresAt, fence, now });
    return { id, key, expiresAt };
  });
}

export async function endSessionKey(ctx: RunContext, { id }: SessionKey): Promise<void> {
  await ctx.db.transaction((trx) => revokeLockedKeys(trx, [id], ctx.clock.now()));
}
