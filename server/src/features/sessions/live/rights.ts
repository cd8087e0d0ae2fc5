import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../app/context.ts';
import { watchAddress } from '../../ip-access-list/watch.ts';
import { watchKey } from '../../auth/watch.ts';
import { closeCodes, type TerminalEnd } from './calls.ts';

export type RightsContext = Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>;

/** A role or a scope is looked at this often; the end of a key, a sign-in or an address is notified. */
const recheckMs = 3_000;

/** Calls `ended` when the request's caller may no longer do what the request did, or this process drains. */
export function watchRights(
  ctx: RightsContext,
  request: FastifyRequest,
  ended: (end: TerminalEnd) => void,
): () => void {
  const { caller } = request;
  const revoked = (): void =>
    ended({ code: closeCodes.revoked, reason: 'Your access ended: the key, sign-in, role or address changed.' });
  const onClosing = (): void =>
    ended({ code: closeCodes.goingAway, reason: 'The server is stopping. Open the terminal again.' });
  if (ctx.closing.aborted) onClosing();
  ctx.closing.addEventListener('abort', onClosing, { once: true });
  const watches = [watchKey, watchAddress].map((watch) => watch(ctx, caller, revoked));
  const timer = setInterval(() => void request.recheck().catch(revoked), recheckMs);
  return () => {
    ctx.closing.removeEventListener('abort', onClosing);
    for (const { leave } of watches) leave();
    clearInterval(timer);
  };
}
