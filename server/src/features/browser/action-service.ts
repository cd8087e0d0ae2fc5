import { createHash, randomUUID } from 'node:crypto';
import type { TSchema, Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { WorkerCallFailed } from '../../jobs/worker-calls.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { InvalidFields, invalidField } from '../../lib/field-error.ts';
import { mutate, type AuditFact } from '../../mutation/mutate.ts';
import { addArtifact } from '../sessions/api/artifact-service.ts';
import { requireStorageForWork } from '../storage/quota-service.ts';
import { ContentAnswer, NavigateAnswer, PageAnswer, ProblemAnswer, readAs, ScreenshotAnswer } from './calls.ts';
import { failureOf } from './failures.ts';
import type { Click, Navigate, ReadContent, TakeScreenshot, TypeText } from './schemas.ts';
import { pageOf, requireBrowserSession, type BrowserContext } from './service.ts';
import { endBrowserSessions, updatePage, type BrowserSessionRow, type PageRow } from './store.ts';

/** Longer than a worker lets any page take, so that it is the worker who says that it took too long. */
const callTimeoutMs = 50_000;

/** Goes to an address. Throws 403, 502 and 504 as the contract's section 3 says, and 422 for another scheme. */
export async function navigate(ctx: BrowserContext, caller: Caller, { sessionId, url }: Navigate) {
  const host = hostOf(url);
  return act(ctx, caller, {
    sessionId,
    kind: 'navigate',
    host,
    input: { url },
    answer: NavigateAnswer,
    shape: (page) => ({ ...pageOf(sessionId, page), status: page.status }),
  });
}

/** The host of an address that a browser may be sent to. Throws 422. */
function hostOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) throw invalidField('/url', 'must be an absolute http or https URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidField('/url', `must have the scheme http or https, not ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') throw invalidField('/url', 'must not contain a user or password');
  return url.host;
}

/** Clicks on an element. Throws 422 where the page has none; what the click leads to fails like a navigation. */
export async function click(ctx: BrowserContext, caller: Caller, { sessionId, selector }: Click) {
  return act(ctx, caller, {
    sessionId,
    kind: 'click',
    input: { selector },
    answer: PageAnswer,
    shape: (page) => pageOf(sessionId, page),
  });
}

/** Types into a field. What is typed is kept nowhere. */
export async function type(ctx: BrowserContext, caller: Caller, input: TypeText) {
  const { sessionId, selector, text, submit = false } = input;
  return act(ctx, caller, {
    sessionId,
    kind: 'type',
    input: { selector, text, submit },
    answer: PageAnswer,
    shape: (page) => pageOf(sessionId, page),
  });
}

/** What the page says: as text as a person sees it, or as HTML. Changes nothing. */
export async function readContent(ctx: BrowserContext, caller: Actor, { sessionId, format = 'text' }: ReadContent) {
  const row = await requireBrowserSession(ctx, caller, sessionId);
  const page = await ask(ctx, row, 'content', { format }, ContentAnswer);
  return { ...pageOf(sessionId, page), content: page.content };
}

/** A picture of the page. Of a browser session that names a session it becomes an artifact of that one. */
export async function takeScreenshot(
  ctx: BrowserContext & Pick<Context, 'blobs' | 'config'>,
  caller: Caller,
  { sessionId, full_page: fullPage = false }: TakeScreenshot,
) {
  const row = await requireBrowserSession(ctx, caller, sessionId);
  const { session_id } = row;
  if (session_id !== null) await requireStorageForWork(ctx, ctx.db.kysely, caller.organization.id);
  const page = await ask(ctx, row, 'screenshot', { fullPage }, ScreenshotAnswer);
  const answer = { ...pageOf(sessionId, page), content_type: page.contentType, data: page.data };
  if (session_id === null) return answer;
  const picture = Buffer.from(page.data, 'base64');
  const blob = `artifacts/${caller.organization.id}/${session_id}/${randomUUID()}`;
  const sha256 = createHash('sha256').update(picture).digest('hex');
  await ctx.blobs.put(blob, picture);
  await mutate(ctx, withoutReplay(caller), async (trx, audit) => {
    const now = ctx.clock.now();
    const id = await addArtifact(trx, {
      orgId: caller.organization.id,
      sessionId: session_id,
      artifact: {
        name: `screenshot-${now.toISOString().replaceAll(/[:.]/g, '-')}.${page.contentType.replace('image/', '')}`,
        contentType: page.contentType,
        sizeBytes: picture.length,
        sha256,
        blob,
      },
      now,
    });
    const changes = { session_id, artifact_id: id };
    audit({ action: 'browser_session.screenshot', resource: { type: 'browser_session', id: sessionId }, changes });
  });
  return answer;
}

interface Act<Answer extends TSchema, T> {
  sessionId: string;
  kind: 'navigate' | 'click' | 'type';
  /** Where it goes; the page's own host without. */
  host?: string;
  input: Record<string, unknown>;
  answer: Answer;
  shape: (page: Static<Answer>) => T;
}

/**
 * Lets the browser do something that the outside notices, and puts on record that it did, also where it failed: with the
 * host alone, for paths, queries and texts hold secrets.
 */
async function act<Answer extends typeof PageAnswer | typeof NavigateAnswer, T>(
  ctx: BrowserContext,
  caller: Caller,
  { sessionId, kind, host, input, answer, shape }: Act<Answer, T>,
): Promise<T> {
  const row = await requireBrowserSession(ctx, caller, sessionId);
  const fact: AuditFact = { action: `browser_session.${kind}`, resource: { type: 'browser_session', id: sessionId } };
  const at = host ?? URL.parse(row.url)?.host ?? '';
  let page: Static<Answer> & PageRow;
  try {
    page = await ask(ctx, row, kind, input, answer);
  } catch (error) {
    // Where the page has no such element, nothing was done.
    if (error instanceof InvalidFields) throw error;
    const failed = error instanceof AppError ? error.code : 'failed';
    await mutate(ctx, withoutReplay(caller), async (_trx, audit) => audit({ ...fact, changes: { host: at, failed } }));
    throw error;
  }
  return mutate(ctx, caller, async (trx: Transaction<DB>, audit) => {
    await updatePage(trx, sessionId, page);
    audit({ ...fact, changes: { host: at } });
    return shape(page);
  });
}

/** What is put on record beside the answer is no answer that a repetition could get. */
function withoutReplay(caller: Caller): Caller {
  if (caller.request === undefined) return caller;
  const { complete: _complete, ...request } = caller.request;
  return { ...caller, request };
}

/** Asks the worker that has the browser. Throws 404 when it is gone, or the browser is. */
async function ask<Answer extends TSchema>(
  ctx: BrowserContext,
  row: BrowserSessionRow,
  kind: string,
  input: Record<string, unknown>,
  answer: Answer,
): Promise<Static<Answer>> {
  const { id, worker } = row;
  let said: unknown;
  try {
    said = await ctx.workerCalls.call(`browser.${kind}`, { id, ...input }, { worker, timeoutMs: callTimeoutMs });
  } catch (error) {
    const isLost = error instanceof WorkerCallFailed && error.reason === 'lost';
    if (isLost || (error instanceof AppError && error.code === 'browser_session_not_found')) {
      await endBrowserSessions(ctx.db.kysely, [id], ctx.clock.now());
      throw notFound('browser_session', id);
    }
    throw failureOf(error, { whileOpening: false });
  }
  if (Value.Check(ProblemAnswer, said)) throw invalidField('/selector', 'does not match a visible element of the page');
  return readAs(answer, said);
}
