import type { FastifyInstance } from 'fastify';
import { requireActive, requireNotSuspended, type AuthenticatedCaller } from '../caller.ts';
import { isRead } from './head.ts';

/**
 * Restricts organizations that are not active: a suspended one serves routes with `whileSuspended`; one that is being deleted
 * serves reads and routes with `whileDeleting`. The latter is a 409, so it comes after validation. Requests that concern a
 * person are not restricted.
 */
export function installOrganizationState(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const caller: AuthenticatedCaller | undefined = request.caller;
    const { personal, whileSuspended } = request.routeOptions.config;
    if (caller === undefined || personal === true || whileSuspended === true) return;
    requireNotSuspended(caller.organization);
  });
  app.addHook('preHandler', async (request) => {
    const caller: AuthenticatedCaller | undefined = request.caller;
    const { personal, whileDeleting } = request.routeOptions.config;
    if (caller === undefined || isRead(request) || personal === true || whileDeleting === true) return;
    requireActive(caller.organization);
  });
}
