import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { readPreviewUrl, type PreviewUrl } from '../../../http/preview-url.ts';
import { asksForWebSocket, takeUpgrade } from '../../../http/upgrade.ts';
import { AppError } from '../../../lib/errors.ts';
import { createTurns } from '../../../lib/turns.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { callKinds, linkLastsMs, type LinkAnswer } from './calls.ts';
import { preflightHeaders } from './preview-headers.ts';
import { proxyRequest, proxyUpgrade } from './preview-proxy.ts';
import { watchRights, type RightsContext } from './rights.ts';
import { issueTicket } from './tickets.ts';
import { askForLink, openLink, requireLive, type LiveContext } from './worker-link.ts';

export type PreviewContext = LiveContext & RightsContext & Pick<Context, 'keyRing'>;

const requests = 'requests to previews';
const maxWaitMs = 30_000;
const sessionTurns = createTurns(requests, {
  whose: 'of the session',
  each: 32,
  total: Infinity,
  waiting: 256,
  maxWaitMs,
});
/** Limits per organization, so that one cannot use up those of the others. */
const organizationTurns = createTurns(requests, { each: 64, total: 256, waiting: 256, maxWaitMs });

/** A token for connections to a preview is asked for once per credential in this time. */
const keptMs = linkLastsMs.preview / 2;
const maxKept = 1_000;
const kept = new Map<string, Promise<LinkAnswer>>();

/**
 * Passes a request on to a server in the session's sandbox. A signed-in person is first redirected to a URL with a ticket.
 * Throws 403 and 409 like a terminal, 502 `upstream_error` if nothing listens at the port.
 */
export async function servePreview(ctx: PreviewContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { caller } = request;
  const url = requireUrl(request);
  const place = { organization: url.organization, session: url.session, port: url.port };
  const base = `/v3/organizations/${url.organization}/sessions/${url.session}/preview/${url.port}`;
  if (url.ticket !== '' && request.method === 'OPTIONS') {
    const asked = request.headers['access-control-request-headers'] ?? '';
    void reply.code(204).headers(preflightHeaders(asked)).send();
    return;
  }
  const worker = await requireLive(ctx, caller, url.session);
  if (caller.credential.kind === 'sign_in' && url.ticket === '') {
    if (asksForWebSocket(request))
      throw new AppError('forbidden', 'Open the preview in the browser first; its page connects with a ticket.');
    const ticket = issueTicket(ctx, caller.credential.id, place);
    return redirect(reply, `${base}/~${ticket}${url.path.startsWith('/') ? url.path : `/${url.path}`}`);
  }
  const prefix = url.ticket === '' ? base : `${base}/~${url.ticket}`;
  // Relative links need the slash.
  if (!url.path.startsWith('/')) return redirect(reply, `${prefix}/${url.path}`);
  await sessionTurns.run(url.session, () =>
    organizationTurns.run(caller.organization.id, () => pass(ctx, request, reply, { url, prefix, worker })),
  );
}

function requireUrl({ raw }: FastifyRequest): PreviewUrl {
  const url = readPreviewUrl(raw.url ?? '');
  const number = Number(url?.port);
  if (url === undefined || number < 1 || number > 65_535)
    throw new AppError('not_found', 'This is not the URL of a preview.');
  return url;
}

function redirect(reply: FastifyReply, location: string): void {
  void reply.code(302).header('location', location).send();
}

async function pass(
  ctx: PreviewContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { url, prefix, worker }: { url: PreviewUrl; prefix: string; worker: string },
): Promise<void> {
  const port = Number(url.port);
  const place = { session: url.session, port, worker };
  const link = await openLink(await linkTo(ctx, request.caller, place));
  const stop = new AbortController();
  let leave = (): void => undefined;
  // Most requests are over before their caller's rights could change.
  const lasting = setTimeout(() => (leave = watchRights(ctx, request, () => stop.abort())), 1_000);
  const preview = { port, path: url.path, prefix, link, signal: stop.signal };
  try {
    if (asksForWebSocket(request)) await proxyUpgrade(request, preview, () => takeUpgrade(request, reply));
    else await proxyRequest(request, reply, preview);
  } catch (error) {
    // The next request asks the worker again, which says more.
    kept.delete(keyOf(request.caller, place));
    throw error;
  } finally {
    clearTimeout(lasting);
    leave();
    link.destroy();
  }
}

interface Place {
  session: string;
  port: number;
  worker: string;
}

function keyOf({ credential }: AuthenticatedCaller, { session, port, worker }: Place): string {
  return JSON.stringify([credential.id, worker, session, port]);
}

/** Returns the worker's token for a preview; asking for one is on record. */
async function linkTo(ctx: PreviewContext, caller: AuthenticatedCaller, place: Place): Promise<LinkAnswer> {
  const { session, port, worker } = place;
  const key = keyOf(caller, place);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const ask = async (): Promise<LinkAnswer> => {
    const answer = await askForLink(ctx, worker, callKinds.preview, { session, port });
    await mutate(ctx, caller, async (_trx, audit) =>
      audit({ action: 'session.preview', resource: { type: 'session', id: session }, changes: { port } }),
    );
    return answer;
  };
  const asking = ask();
  kept.set(key, asking);
  const forget = (): void => void (kept.get(key) === asking && kept.delete(key));
  setTimeout(forget, keptMs).unref();
  asking.catch(forget);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return asking;
}
