import type { Transaction } from 'kysely';
import { withoutRequest } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { lockRepository } from '../repositories/public.ts';
import { createSession } from '../sessions/api/create-service.ts';
import { noContext } from '../sessions/api/no-context.ts';
import { enqueueAnswer } from './consumers.ts';
import { continueByMention } from './continue-service.ts';
import { newMention, type Mention } from './mention.ts';
import { countStarted, insertMention } from './store.ts';
import { promptOf, titleOf } from './texts.ts';

export type StartContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log' | 'sourceControl'
>;

/** Tasks that mentions give sessions in a repository within an hour. */
const mostPerHour = 10;
const hourMs = 3_600_000;

/** Another look was faster. */
class Known extends Error {}

/**
 * Gives a mention to the session that an earlier one on the same issue started, or else to a new session, once; or records why
 * not. A job posts the answer.
 */
export async function startByMention(ctx: StartContext, mention: Mention): Promise<void> {
  const { organization, place } = mention;
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const caller = withoutRequest({ organization, principal, scopes: scopeSet(null, ['run']), permission: '', role: '' });
  const record = async (trx: Transaction<DB>, sessionId: string): Promise<void> => {
    if (!(await lockRepository(trx, place.org_id, place.repository_id))) throw new Known();
    const now = ctx.clock.now();
    await requireFew(trx, place.repository_id, now);
    const row = newMention(mention, now);
    if (!(await insertMention(trx, { ...row, state: 'started', session_id: sessionId }))) throw new Known();
    await enqueueAnswer(ctx, trx, row.id);
  };
  try {
    if (await continueByMention(ctx, mention, record)) return;
    await createSession(ctx, caller, sessionOf(mention), record);
  } catch (error) {
    if (error instanceof Known) return;
    const isRefused = error instanceof AppError && error.code !== 'capacity_unavailable';
    if (!isRefused && !(error instanceof ProviderError && !error.retryable)) throw error;
    ctx.log.info({ place, reason: messageOf(error) }, 'a mention started no session');
    await refuseMention(ctx, mention, shownProblem(error));
  }
}

/** Records why no session works on a mention, which is its answer. */
export async function refuseMention(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  mention: Pick<Mention, 'place' | 'said'>,
  problem: string,
): Promise<void> {
  const row = newMention(mention, ctx.clock.now());
  await ctx.db.transaction(async (trx) => {
    if (await insertMention(trx, { ...row, state: 'refused', problem })) await enqueueAnswer(ctx, trx, row.id);
  });
}

/** Reasons that concern the thread itself; others may tell strangers about the organization's limits. */
const shownCodes: ReadonlySet<string> = new Set([
  'change_request_closed',
  'change_request_not_found',
  'conflict',
  'rate_limited',
]);

function shownProblem(error: unknown): string {
  if (error instanceof AppError && shownCodes.has(error.code)) return error.message.slice(0, 1_000);
  return 'The settings or limits of the organization, or its access to this host, do not allow one now.';
}

async function requireFew(trx: Transaction<DB>, repositoryId: string, now: Date): Promise<void> {
  if ((await countStarted(trx, repositoryId, new Date(now.getTime() - hourMs))) < mostPerHour) return;
  throw new AppError(
    'rate_limited',
    `Mentions gave sessions ${mostPerHour} tasks in this repository within an hour. Ask again later.`,
  );
}

function sessionOf({ repository, place, thread, said, call }: Mention) {
  const { provider, repo } = repository;
  const { kind, number } = place;
  return {
    title: titleOf(place, call.title),
    prompt: promptOf({ ...place, repo }, thread, said),
    origin: 'automation' as const,
    repositories: [{ provider, repo, ...(kind === 'issue' ? {} : { change_request: number }) }],
    metadata: { mention: said.url.slice(0, 2_000), mentioned_by: `${provider}:${said.author.login}`.slice(0, 2_000) },
    // Write access at a git host gives no right to what the organization keeps here, and anyone may have written the thread.
    ...noContext,
  };
}
