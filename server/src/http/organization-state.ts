import type { FastifyInstance } from 'fastify';
import { requireActive, requireNotSuspended, type AuthenticatedCaller } from '../caller.ts';

/**
 * What an organization that is not active still answers: a suspended one what its routes name `whileSuspended`; one that is
 * being deleted reads, and what they name `whileDeleting`. The latter is a conflict, so what is wrong with the request
 * itself comes first. What concerns a person and no organization is neither's business.
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
    if (caller === undefined || request.method === 'GET' || personal === true || whileDeleting === true) return;
    requireActive(caller.organization);
  });
}
