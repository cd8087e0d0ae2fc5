import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../../../caller.ts';
import { acceptWebSocket, asksForWebSocket } from '../../../http/upgrade.ts';
import { AppError } from '../../../lib/errors.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { callKinds } from './calls.ts';
import { watchRights, type RightsContext } from './rights.ts';
import { bridgeTerminal } from './terminal-bridge.ts';
import { askForLink, openLink, requireLive, type LiveContext } from './worker-link.ts';

export type TerminalContext = LiveContext & RightsContext;

/**
 * Opens a person's shell in the session's sandbox. Everything is checked before the handshake is answered. Throws 426
 * `upgrade_required` for a request that is no handshake and could have been one.
 */
export async function openTerminal(
  ctx: TerminalContext,
  caller: AuthenticatedCaller,
  sessionId: string,
  { size, request, reply }: { size: { columns: number; rows: number }; request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  const worker = await requireLive(ctx, caller, sessionId);
  if (!asksForWebSocket(request))
    throw new AppError('upgrade_required', 'The terminal can be opened. Connect to this URL by WebSocket.');
  const { type, id, name } = caller.principal;
  const by = { type, id, name };
  const answer = await askForLink(ctx, worker, callKinds.terminal, { session: sessionId, ...size, by });
  await mutate(ctx, caller, async (_trx, audit) =>
    audit({ action: 'session.terminal', resource: { type: 'session', id: sessionId } }),
  );
  const link = await openLink(answer);
  const socket = await acceptWebSocket(request, reply);
  if (socket === undefined) {
    link.destroy();
    return;
  }
  const stop = new AbortController();
  const leave = watchRights(ctx, request, (end) => stop.abort(end));
  try {
    await bridgeTerminal(socket, link, stop.signal);
  } finally {
    leave();
  }
}
