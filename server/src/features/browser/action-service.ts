import { createHash, randomUUID } from 'node:crypto';
import type { TSchema, Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Transaction } from 'kysely';
import { withoutReplay, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { WorkerCallFailed } from '../../jobs/worker-calls.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { FieldError, fieldError } from '../../lib/field-error.ts';
import { mutate, type AuditFact } from '../../mutation/mutate.ts';
import { addArtifact } from '../sessions/api/artifact-service.ts';
import { requireStorageForWork } from '../storage/quota-service.ts';
import { ContentAnswer, NavigateAnswer, PageAnswer, ProblemAnswer, readAs, ScreenshotAnswer } from './calls.ts';
import { failureOf } from './failures.ts';
import type { Click, Navigate, ReadContent, TakeScreenshot, TypeText } from './schemas.ts';
import { pageOf, requireBrowserSession, type BrowserContext } from './service.ts';
import { endBrowserSessions, updatePage, type BrowserSessionRow, type PageRow } from './store.ts';

/** Longer than the worker's own limits, so that the worker reports a timeout. */
const callTimeoutMs = 50_000;

/** Navigates to a URL. Throws 403, 502 and 504 by section 3 of the contract, and 422 for another scheme. */
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

/** Returns the host of a URL that a browser may open. Throws 422. */
function hostOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) throw fieldError('/url', 'must be an absolute http or https URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw fieldError('/url', `must have the scheme http or https, not ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') throw fieldError('/url', 'must not contain a user or password');
  return url.host;
}

/** Clicks an element. Throws 422 if the page has no such element; fails like a navigation if the click causes one. */
export async function click(ctx: BrowserContext, caller: Caller, { sessionId, selector }: Click) {
  return act(ctx, caller, {
    sessionId,
    kind: 'click',
    input: { selector },
    answer: PageAnswer,
    shape: (page) => pageOf(sessionId, page),
  });
}

/** Types into a field. The text is not stored anywhere. */
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

/** Returns the content of the page, as the text that a person sees, or as HTML. Changes nothing. */
export async function readContent(ctx: BrowserContext, caller: Actor, { sessionId, format = 'text' }: ReadContent) {
  const row = await requireBrowserSession(ctx, caller, sessionId);
  const page = await ask(ctx, row, 'content', { format }, ContentAnswer);
  return { ...pageOf(sessionId, page), content: page.content };
}

/** Takes a screenshot of the page; it becomes an artifact if the browser session names a session. */
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
  /** The target host; by default that of the page. */
  host?: string;
  input: Record<string, unknown>;
  answer: Answer;
  shape: (page: Static<Answer>) => T;
}

/**
 * Runs an action that other hosts can notice, and audits it even if it fails; only with the host, because paths,
 * queries and texts may contain secrets.
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
    // The page has no such element, so nothing was done.
    if (error instanceof FieldError) throw error;
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

/** Calls the worker that has the browser. Throws 404 if the worker or the browser is gone. */
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
    const isGone = error instanceof AppError && error.code === 'browser_session_not_found';
    const problem = isGone ? error.message : '';
    if (isGone || (error instanceof WorkerCallFailed && error.reason === 'lost')) {
      await endBrowserSessions(ctx.db.kysely, [id], ctx.clock.now(), problem);
      throw isGone ? error : notFound('browser_session', id);
    }
    throw failureOf(error, { whileOpening: false });
  }
  if (Value.Check(ProblemAnswer, said)) throw fieldError('/selector', 'does not match a visible element of the page');
  return readAs(answer, said);
}
