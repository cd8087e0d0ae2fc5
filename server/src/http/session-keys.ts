import type { FastifyInstance } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';
import { AppError, notFound } from '../lib/errors.ts';

/** The rules for the keys of sessions. */
export interface SessionKeyRules {
  /**
   * Returns true if such keys may call an operation; `route` is as declared, e.g. `/v3/organizations/:orgId/sessions`.
   */
  admits(method: string, route: string): boolean;
  /** Returns true for the caller's own session and its children. */
  reaches(caller: AuthenticatedCaller, sessionId: string): Promise<boolean>;
}

/**
 * Restricts the keys of sessions. Install it after the authentication: a forbidden operation returns 403 as if a scope
 * were missing, before the validation; another session returns 404 as if it did not exist, after it.
 */
export function installSessionKeyRules(app: FastifyInstance, rules: SessionKeyRules): void {
  app.addHook('onRequest', async ({ caller, method, routeOptions }) => {
    if (isSession(caller) && !rules.admits(method === 'HEAD' ? 'GET' : method, routeOptions.url ?? ''))
      throw new AppError(
        'forbidden',
        "A session's key can only read its own session and its children, and start children.",
      );
  });
  app.addHook('preHandler', async ({ caller, params }) => {
    if (!isSession(caller) || typeof params !== 'object' || params === null || !('id' in params)) return;
    const id = String(params.id);
    if (!(await rules.reaches(caller, id))) throw notFound('session', id);
  });
}

/** The caller is undefined on routes without authentication. */
function isSession(caller: AuthenticatedCaller | undefined): caller is AuthenticatedCaller {
  return caller?.principal.type === 'session';
}
