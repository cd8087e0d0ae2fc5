import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireSession } from '../sessions/api/service.ts';
import { settingsOf } from '../settings/service.ts';
import { OpenCall, PageAnswer, readAs } from './calls.ts';
import { failureOf } from './failures.ts';
import type { CreateBrowserSession } from './schemas.ts';
import {
  countPlaces,
  endBrowserSessions,
  insertBrowserSession,
  markOpened,
  readBrowserSession,
  readProblem,
  type BrowserSessionRow,
  type PageRow,
  type Places,
} from './store.ts';

export type BrowserContext = Pick<Context, 'db' | 'clock' | 'workerCalls'>;

/** The maximum lifetime of a session. */
const lastsMs = 30 * 60_000;
/** The maximum number of open sessions of an organization. */
const mostPerOrganization = 8;
const openTimeoutMs = 30_000;

/** Starts a browser in the worker with the most free slots. Throws 503 `capacity_unavailable`, 429 `rate_limited`. */
export async function createBrowserSession(ctx: BrowserContext, caller: Caller, input: CreateBrowserSession) {
  const orgId = caller.organization.id;
  const { session_id = '' } = input;
  if (session_id !== '') await requireSession(ctx, orgId, session_id);
  const { network, allowed_hosts } = await settingsOf(ctx.db.kysely, orgId, 'sandbox');
  const { id, worker, created_at, expires_at } = await reserve(ctx, caller, session_id);
  try {
    const call = readAs(OpenCall, {
      id,
      // Unlike a session's sandbox, this one contains nothing to steal.
      network: network === 'allowlist' ? 'allowlist' : 'open',
      allowedHosts: allowed_hosts,
    });
    const answer = await ctx.workerCalls.call('browser.open', call, { worker, timeoutMs: openTimeoutMs });
    const { url, title } = readAs(PageAnswer, answer);
    return await mutate(ctx, caller, async (trx, audit) => {
      const opened = await markOpened(trx, id, { url, title, now: ctx.clock.now() });
      if (!opened) throw new AppError('capacity_unavailable', 'The browser ended before it was used. Try again.');
      audit({
        action: 'browser_session.create',
        resource: { type: 'browser_session', id },
        changes: session_id === '' ? {} : { session_id },
      });
      return { sessionId: id, url, title, created_at, expires_at };
    });
  } catch (error) {
    await endBrowserSessions(ctx.db.kysely, [id], ctx.clock.now());
    throw failureOf(error, { whileOpening: true });
  }
}

/** Reserves a slot of a worker before anything starts, so that concurrent requests cannot exceed the slots. */
async function reserve(ctx: BrowserContext, caller: Actor, sessionId: string) {
  const { organization, principal } = caller;
  const created_at = ctx.clock.now();
  const expires_at = new Date(created_at.getTime() + lastsMs);
  const id = newId('brs', created_at.getTime());
  return ctx.db.transaction(async (trx) => {
    const worker = chooseWorker(await countPlaces(trx, organization.id, created_at));
    await insertBrowserSession(trx, {
      id,
      org_id: organization.id,
      worker,
      session_id: sessionId === '' ? null : sessionId,
      created_by_type: principal.type,
      created_by_id: principal.id,
      created_at,
      expires_at,
    });
    return { id, worker, created_at, expires_at };
  });
}

/** Returns the worker for a new browser. Throws if there is none. */
function chooseWorker({ ofOrganization, workers }: Places): string {
  if (ofOrganization >= mostPerOrganization)
    throw new AppError(
      'rate_limited',
      `Limit reached: your organization can have at most ${mostPerOrganization} open browser sessions. Close one first.`,
      { retry_after_seconds: 30 },
    );
  const able = workers.filter(({ slots }) => slots > 0);
  const worker = able.find(({ slots, open }) => open < slots);
  if (worker !== undefined) return worker.id;
  if (able.length > 0) {
    const slots = able.reduce((sum, one) => sum + one.slots, 0);
    throw new AppError('capacity_unavailable', `All ${slots} browsers are in use. Try again later.`);
  }
  const problem = workers.find((one) => one.problem !== '')?.problem;
  throw new AppError(
    'capacity_unavailable',
    problem ??
      'No worker with a browser is running. Start one on a machine with chromium-headless-shell (Debian: `apt-get ' +
        'install chromium-headless-shell`).',
  );
}

export async function getBrowserSession(ctx: BrowserContext, caller: Actor, id: string) {
  const row = await requireBrowserSession(ctx, caller, id);
  return { ...pageOf(id, row), created_at: row.created_at, expires_at: row.expires_at };
}

/** Closes the browser with all its processes, shortly after the response. */
export async function deleteBrowserSession(ctx: BrowserContext, caller: Caller, id: string): Promise<null> {
  await requireBrowserSession(ctx, caller, id);
  return mutate(ctx, caller, async (trx, audit) => {
    const [ended] = await endBrowserSessions(trx, [id], ctx.clock.now());
    if (ended === undefined) throw notFound('browser_session', id);
    audit({ action: 'browser_session.delete', resource: { type: 'browser_session', id } });
    return null;
  });
}

/**
 * Returns an open session of the caller's organization. If its worker is silent, the session is over and its browser is
 * lost.
 */
export async function requireBrowserSession(
  ctx: Pick<Context, 'db' | 'clock'>,
  caller: Actor,
  id: string,
): Promise<BrowserSessionRow> {
  const now = ctx.clock.now();
  const row = await readBrowserSession(ctx.db.kysely, caller.organization.id, id, now);
  if (row?.alive === true) return row;
  if (row !== undefined) await endBrowserSessions(ctx.db.kysely, [id], now);
  const problem = await readProblem(ctx.db.kysely, caller.organization.id, id);
  throw problem === '' ? notFound('browser_session', id) : new AppError('browser_session_not_found', problem);
}

/** The common part of every response. */
export function pageOf(sessionId: string, { url, title }: PageRow) {
  return { sessionId, url, title };
}
