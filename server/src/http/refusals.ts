import type { FastifyInstance } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';
import { isRead } from './head.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The error code of the response; `''` for none. A successful response may contain a refusal too: one of an MCP
     * tool.
     */
    errorCode: string;
  }
}

/**
 * Called after the response, for every 403 of a known caller, every refusal of a tool, and every change that failed
 * with a server error.
 */
export type OnRefused = (caller: AuthenticatedCaller, refusal: { outcome: 'denied' | 'error'; code: string }) => void;

export function installRefusals(app: FastifyInstance, onRefused: OnRefused): void {
  app.decorateRequest('errorCode', '');
  app.addHook('onResponse', async (request, reply) => {
    const caller: AuthenticatedCaller | undefined = request.caller;
    if (caller === undefined || request.errorCode === '') return;
    if (reply.statusCode === 403 || reply.statusCode < 400)
      onRefused(caller, { outcome: 'denied', code: request.errorCode });
    else if (reply.statusCode >= 500 && !isRead(request))
      onRefused(caller, { outcome: 'error', code: request.errorCode });
  });
}
