import type { FastifyInstance } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The code of the error that was answered; `''` for none. An answer that is no error can still tell of a refusal: what
     * an MCP tool was denied.
     */
    errorCode: string;
  }
}

/** Told of every 403 of a known caller, and of what a tool was denied, and of every change that failed on our side, after the answer was sent. */
export type OnRefused = (caller: AuthenticatedCaller, refusal: { outcome: 'denied' | 'error'; code: string }) => void;

export function installRefusals(app: FastifyInstance, onRefused: OnRefused): void {
  app.decorateRequest('errorCode', '');
  app.addHook('onResponse', async (request, reply) => {
    const caller: AuthenticatedCaller | undefined = request.caller;
    if (caller === undefined || request.errorCode === '') return;
    if (reply.statusCode === 403 || reply.statusCode < 400)
      onRefused(caller, { outcome: 'denied', code: request.errorCode });
    else if (reply.statusCode >= 500 && request.method !== 'GET')
      onRefused(caller, { outcome: 'error', code: request.errorCode });
  });
}
