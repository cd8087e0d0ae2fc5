import type { FastifyInstance } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';
import { AppError, notFound } from '../lib/errors.ts';

/** What a session's own key opens. */
export interface SessionKeyRules {
  /** Whether an operation is for such keys at all; `route` as it was declared, e.g. `/v3/organizations/:orgId/sessions`. */
  admits(method: string, route: string): boolean;
  /** Whether this session is the caller's own or one of its children. */
  reaches(caller: AuthenticatedCaller, sessionId: string): Promise<boolean>;
}

/**
 * Holds sessions to what their keys are for. To be installed behind the authentication: what is not for them is 403 as if
 * a scope were missing, and a session that is none of theirs answers as a missing one, behind the validation.
 */
export function installSessionKeyRules(app: FastifyInstance, rules: SessionKeyRules): void {
  app.addHook('onRequest', async ({ caller, method, routeOptions }) => {
    if (isSession(caller) && !rules.admits(method, routeOptions.url ?? ''))
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

/** No caller is known where none is asked for. */
function isSession(caller: AuthenticatedCaller | undefined): caller is AuthenticatedCaller {
  return caller?.principal.type === 'session';
}
